"""Lines that are decoded in one go, and what makes them need a closer look."""

from hypothesis import example, given
from hypothesis import strategies as st

from inspector.sources.lines.sound_lines import decode_sound, line_ends
from tests.debug_files import check, line

LETTERS = st.binary(max_size=30).map(lambda raw: bytes(c if c > 127 else ord("a") for c in raw))
LINE = line({**check("D", 0, 1), "x": "?"})


@given(before=LETTERS, text=st.text(max_size=9), after=LETTERS)
@example(b"", "é中🙂", b"")
@example(b"\xe2\x86", "", b"\x92")
@example(b"a" * 7 + b"\xc3", "a", b"\xa9")
def test_bytes_that_are_no_text_are_found_wherever_they_stand(
    before: bytes, text: str, after: bytes
) -> None:
    letters = "".join(letter for letter in text if letter > "~").encode(errors="ignore")
    body = LINE.replace(b"?", before + letters + after) + LINE
    try:
        body.decode()
    except UnicodeDecodeError:
        sound = False
    else:
        sound = True
    assert (decode_sound(memoryview(body), 2, False) is not None) == sound


def test_lines_without_an_event_and_torn_ones_need_a_closer_look() -> None:
    for odd in (b'{"timestamp": 1.0}\n', LINE[:-9] + b"\n", LINE.rstrip() + LINE, b"\n"):
        assert decode_sound(memoryview(LINE + odd), 2, True) is None


@given(st.lists(st.binary(max_size=9)))
def test_line_ends_are_the_same_however_they_are_looked_for(lines: list[bytes]) -> None:
    block = b"\n".join(lines)
    assert line_ends(block, few=True).tolist() == line_ends(block).tolist()
