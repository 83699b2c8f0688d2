"""What makes an item: the rules, line by line.

The cues are those of `engine.summarizers.cues`, so that the offline summariser and this judge agree
on what a line is. Kinds, and what makes an item of each:

- *instruction*: a sentence of a real user's message with a word of obligation, limit or preference,
  and the first sentence of each such message that is no greeting, which is the request;
- *path*: a file path or a file name;
- *command*: the command field of a tool call, a line behind a shell prompt, a command in backticks;
- *identifier*: a UUID, hash or ticket anywhere; a name like `snake_case`, `camelCase` or `call()`
  where user or assistant wrote it, for a file that was read holds thousands;
- *error*: from the word that names an error to the end of its line, 160 characters at most; in the
  words of people only where it is spelt like a message of a program;
- *number*: a number that a cue sees and something names;
- *url*: an address;
- *todo*: an open entry of a to-do list, or a line of user or assistant that says it is one. An
  entry that is shown as done closes it.

To recognise a new kind, add it to `ItemKind` and a rule here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from engine.summarizers.cues import Find, finds
from engine.summarizers.line_kinds import LineKind, Source
from inspector.insight.items import Item, ItemKind, Reading, normalised
from inspector.insight.named_numbers import named_numbers

_PEOPLE: Final = frozenset[Source]({"user", "assistant", "memory"})
_SURE: Final = 1.4
"""Strength from which on a cue for a command or a to-do is believed."""
_AN_ERROR: Final = 1.0
"""The same for an error in a tool's output; people use such words for other things."""
_AN_ERROR_SAID: Final = 1.8
"""The same for an error in people's words."""

_LONGEST: Final[dict[ItemKind, int]] = {
    "instruction": 300,
    "command": 200,
    "error": 160,
    "todo": 200,
}
"""Characters of an item at most."""

_SENTENCES = re.compile(r"(?<=[^\s\d.]{2}[.!?;])\s+|(?<=[。！？；])")
_PROMPT = re.compile(r"^[$❯➜] ")
_OPEN = re.compile(r"^(?:\[ \]|☐|(?:TODO|FIXME|XXX|TBD)\b\s?[:：]?)\s*")
_DONE = re.compile(r"^(?:\[[xX]\]|☑|☒|✅|✓)\s*")
_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear|thanks|thank you"
    r"|[你您大]家?好|早上好|谢谢)"
    r"(?:[ ,，]{1,2}\w{1,12})?\W*$",
    re.I,
)
_PYTEST_MARK = re.compile(r"^E\s{2,}")
_PYTEST_DETAIL = re.compile(r"^E\s+(?:[-+?]|Use -v )")
_TIME = re.compile(r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d")
_ABOVE = re.compile(r"^(?:~/|(?:\.\./)+)")
"""What a path begins with whose folder depends on the user or the place."""
_HASH = re.compile(r"[0-9a-f]{7,64}")
_BRACES = re.compile(
    r"([\w./~-]{0,200})\{([\w./-]{1,80}(?:, ?[\w./-]{1,80}){1,20})\}([\w./-]{0,80})"
)
_URL = re.compile(r"https?://[^\s<>\"'`\\^{}|\[\]（）。，；、]{1,2000}")
_NAME = re.compile(
    r"""
    (?<![\w/.-])(?:
        [A-Za-z]\w{0,60}_\w{1,60}              # snake_case
        |[a-z]{1,30}[A-Z]\w{0,60}             # camelCase
        |[A-Z][a-z0-9]{1,30}[A-Z]\w{0,60}     # PascalCase
        |[A-Za-z_][\w.]{0,60}(?=\(\))         # call()
    )(?![\w/-]|\.\w)
    """,
    re.VERBOSE | re.ASCII,
)
_OPAQUE = re.compile(
    r"""
    (?<![\w/-])(?:
        [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}             # UUID
        |(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}                 # hash
        |(?!UTF|SHA|ISO|MD)[A-Z][A-Z0-9]{1,9}-\d{1,8}           # ticket
        |\#\d{2,8}
    )(?![\w-])
    """,
    re.VERBOSE | re.ASCII,
)


@lru_cache(maxsize=1 << 15)
def read_line(text: str, source: Source, kind: LineKind | None, asked: bool) -> Reading:
    """Return what one line holds; remembered, for windows share most of their lines.

    Args:
        text: the line.
        source: whose words it is.
        kind: what it is, where its place says so.
        asked: whether an earlier line of the message said already what is asked for.
    """
    found = finds(text, source)
    words = [
        *_instructions(text, source, asked),
        *_commands(text, found, kind),
        *_errors(text, found, source),
        *_todos(text, found, source, kind),
        *_urls(text),
    ]
    paths = list(_paths(text, found, kind))
    names = [_identifier(match.group()) for match in _NAME.finditer(text)]
    opaque = [_identifier(match.group()) for match in _OPAQUE.finditer(text)]
    numbers = list(named_numbers(text, found))
    signs = {sign for item in (*words, *names, *opaque) for sign in item.signs}
    signs.update(sign for path in paths for sign in _path_signs(path.key))
    signs.update(sign for path in _in_braces(text) for sign in _path_signs(path))
    signs.update(sign for number in numbers for sign in number.signs)
    counted = [number.item for number in numbers if number.item is not None]
    said = names if source in _PEOPLE else []
    done = _DONE.match(text)
    closed = text[done.end() :] if done else text if kind == "work" else None
    return Reading(
        items=(*words, *paths, *said, *opaque, *counted),
        closed=frozenset() if closed is None else frozenset({normalised(closed)}),
        signs=frozenset(signs),
        text=normalised(text),
    )


def _phrase(kind: ItemKind, text: str) -> Iterator[Item]:
    text = text.strip()[: _LONGEST[kind]]
    key = normalised(text)
    if key:
        yield Item(kind, key, text, (f"{kind}:{key}",))


def _instructions(text: str, source: Source, asked: bool) -> Iterator[Item]:
    if source != "user" or text.startswith("#") or _TIME.match(text):
        return  # a title, or a line of a log
    for sentence in _SENTENCES.split(text):
        if len(sentence) > _LONGEST["instruction"] or _GREETING.match(sentence):
            continue
        if not asked or any(find.kind == "constraint" for find in finds(sentence, source)):
            asked = True
            yield from _phrase("instruction", sentence)


def _paths(text: str, found: Sequence[Find], kind: LineKind | None) -> Iterator[Item]:
    places = [text] if kind == "path" else []
    places += [text[find.start : find.end] for find in found if find.kind == "path"]
    for place in places:
        path = _plain_path(place)
        parts = path.split("/")
        below = _ABOVE.sub("", path)
        rooted = parts[0] == "" or parts[0].endswith(":")
        whole = f"path:{path}" if rooted else f"path:…/{below}"
        shorter = (f"path:{'/'.join(parts[i:])}" for i in range(1, len(parts) - 1))
        if below:
            yield Item("path", path, place.rstrip("."), (whole, f"path:{path}", *shorter))


def _plain_path(text: str) -> str:
    return text.replace("\\", "/").removeprefix("./").rstrip("./")


def _path_signs(path: str) -> Iterator[str]:
    """Yield the signs of a path and its folders, and those of all that it ends with."""
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        yield f"path:{'/'.join(parts[:end])}"
    for start in range(len(parts)):
        yield f"path:…/{'/'.join(parts[start:])}"


def _in_braces(text: str) -> Iterator[str]:
    """Yield the paths that are written as one with braces."""
    if "{" in text:
        for before, names, after in _BRACES.findall(text):
            yield from (_plain_path(f"{before}{name.strip()}{after}") for name in names.split(","))


def _commands(text: str, found: Sequence[Find], kind: LineKind | None) -> Iterator[Item]:
    if kind == "command":
        yield from _phrase("command", text)
        return
    for cue in found:
        if cue.kind == "command" and cue.strength >= _SURE:
            yield from _phrase("command", _PROMPT.sub("", text[cue.start : cue.end]))


def _errors(text: str, found: Sequence[Find], source: Source) -> Iterator[Item]:
    believed = _AN_ERROR_SAID if source in _PEOPLE else _AN_ERROR
    starts = [f.start for f in found if f.kind == "error" and f.strength >= believed]
    if starts and not _PYTEST_DETAIL.match(text):
        start = text.rfind(" ", 0, min(starts) + 1) + 1
        yield from _phrase("error", _PYTEST_MARK.sub("", text[start:]))


def _todos(
    text: str, found: Sequence[Find], source: Source, kind: LineKind | None
) -> Iterator[Item]:
    if kind == "todo":
        yield from _phrase("todo", text)
    elif source in _PEOPLE:
        starts = [f.start for f in found if f.kind == "todo" and f.strength >= _SURE]
        if starts:
            yield from _phrase("todo", _OPEN.sub("", text[min(starts) :]))


def _urls(text: str) -> Iterator[Item]:
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_")
        url = (url if "(" in url else url.rstrip(")")).rstrip("/")
        yield Item("url", url, url, (f"url:{url}",))


def _identifier(name: str) -> Item:
    sign = f"hash:{name[:7]}" if _HASH.fullmatch(name) else f"identifier:{name}"
    return Item("identifier", name, name, (sign,))
