"""The fixed texts: as long as openJiuwen's, in words of our own, laid over one another by key."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.resources import resource_path
from engine.wording import SNAPSHOT_SECTIONS, BlockKind, Wording, fill

LONGEST_SHARED = 40
KINDS: tuple[BlockKind, ...] = ("dialogue", "current", "round")


@pytest.fixture(scope="module")
def own() -> dict[str, Any]:
    texts: dict[str, Any] = json.loads(resource_path("wording/wording.json").read_text("utf-8"))
    return texts


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[str, Any]:
    texts: dict[str, Any] = json.loads((shared / "conformance/wording.json").read_text("utf-8"))
    return texts


@pytest.mark.parametrize(
    ("kind", "block", "prompt"),
    [("dialogue", 438, 7_317), ("current", 453, 7_817), ("round", 502, 10_191)],
)
def test_blocks_and_prompts_are_as_long_as_the_originals(
    kind: BlockKind, block: int, prompt: int
) -> None:
    wording = Wording.default()

    assert len(wording.memory_block(kind, "")) == block
    assert len(wording.block(kind).prompt) == prompt


def test_the_figures_beside_our_texts_are_true(own: dict[str, Any]) -> None:
    for kind in KINDS:
        block = own["memory_blocks"][kind]
        assert block["empty_block"] == Wording.default().memory_block(kind, "")
        assert block["empty_block_chars"] == len(block["empty_block"])
        assert block["prompt_chars"] == len(block["prompt"])


def test_the_wrapper_around_one_section_is_as_long_as_the_original() -> None:
    assert len(Wording.default().recovered_context([("", "")])) == 288


def test_every_other_text_is_as_long_as_the_original(
    own: dict[str, Any], reference: dict[str, Any]
) -> None:
    ours, theirs = own["reinjection_lines"]["lines"], reference["reinjection_lines"]["lines"]
    assert {key: len(text) for key, text in ours.items()} == {
        key: len(text) for key, text in theirs.items()
    }
    assert {key: _placeholders(text) for key, text in ours.items()} == {
        key: _placeholders(text) for key, text in theirs.items()
    }
    preserve = "preserve_instruction_suffix"
    assert len(own[preserve]["text"]) == len(reference[preserve]["text"])
    assert {key: len(str(text)) for key, text in own["offload"].items()} == {
        key: len(str(text)) for key, text in reference["offload"].items()
    }
    session = own["session_block"]
    assert len(session["template"]) == len(reference["session_block"]["template"])
    assert session["recall_marker"] == reference["session_block"]["recall_marker"]
    template = "DEFAULT_SESSION_MEMORY_TEMPLATE"
    ours, theirs = own["session_memory"][template], reference["session_memory"][template]
    assert len(ours) == len(theirs)
    assert re.findall("^#.*", ours, re.M) == re.findall("^#.*", theirs, re.M)
    for format_only in (
        *("memory_block_template", "recall_line", "truncation"),
        *("rule_compression_notices", "legacy"),
    ):
        assert own[format_only] == reference[format_only]


def test_no_sentence_is_shared_with_the_original(
    own: dict[str, Any], reference: dict[str, Any]
) -> None:
    size = LONGEST_SHARED + 1
    theirs = {
        prose[start : start + size]
        for text in _strings(reference)
        for prose in _prose(text)
        for start in range(len(prose) - size + 1)
    }

    shared = {
        prose[start : start + size]
        for text in _strings(own)
        for prose in _prose(text)
        for start in range(len(prose) - size + 1)
    } & theirs

    assert len(theirs) > 10_000
    assert not shared


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_asks_for_the_two_blocks_and_every_section_in_order(kind: BlockKind) -> None:
    prompt = Wording.default().block(kind).prompt
    skeleton = re.findall(r"^</?(?:coverage_check|state_snapshot)>$", prompt, re.MULTILINE)
    titles = re.findall(r"^## (.+)$", prompt, re.MULTILINE)

    assert skeleton == [
        "<coverage_check>",
        "</coverage_check>",
        "<state_snapshot>",
        "</state_snapshot>",
    ]
    assert tuple(titles[:-1]) == SNAPSHOT_SECTIONS[kind]
    assert titles[-1] == SNAPSHOT_SECTIONS[kind][0], "the closing example shows the first title"


def test_layers_win_in_order_and_fall_through_key_by_key() -> None:
    command_line = {"memory_blocks": {"round": {"prompt": "A"}}}
    case = {
        "memory_blocks": {"round": {"prompt": "B", "meaning": "B"}},
        "reinjection_lines": {"lines": {"no_content": "B"}},
        "a_key_of_later_versions": 1,
    }
    wording = Wording.from_data(command_line, case)
    default = Wording.default()

    assert wording.block("round").prompt == "A"
    assert wording.block("round").meaning == "B"
    assert wording.block("round").conflict_policy == default.block("round").conflict_policy
    assert wording.block("dialogue") == default.block("dialogue")
    assert wording.line("no_content") == "B"
    assert wording.line("active_todos") == default.line("active_todos")
    assert Wording.default() == default, "layers leave the project's own texts alone"


@pytest.mark.parametrize(
    ("layer", "place"),
    [
        ({"memory_blocks": {"round": {"prompt": 3}}}, ("memory_blocks", "round", "prompt")),
        ({"memory_blocks": "none"}, ("memory_blocks",)),
        ({"truncation": {"section": {"max_chars": 0}}}, ("truncation", "section", "max_chars")),
        ({"recovered_context": {"template": "{text}"}}, ("recovered_context", "template")),
        ({"reinjection_lines": {"lines": {"x": []}}}, ("reinjection_lines", "lines", "x")),
    ],
)
def test_a_wrong_type_is_named_with_its_place(
    layer: dict[str, Any], place: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError) as raised:
        Wording.from_data(layer)

    assert [error["loc"] for error in raised.value.errors()] == [place]


BRACES = st.text(st.sampled_from("{}abc'0:! \n\\")) | st.sampled_from(
    ["{summary}", "{close}", "{text}", "{status}", "{0}", "\\g<0>", "{x or 'y'}"]
)


@given(BRACES, BRACES)
def test_values_are_taken_literally(first: str, second: str) -> None:
    wording = Wording.default()
    block = wording.block("round")

    memory = wording.memory_block("round", first, second)
    assert memory.startswith(f"{block.open}\n<meaning>\n{block.meaning}\n</meaning>\n")
    marker = f"\n[[COMPRESSION_RECALL: id={second}]]"
    assert memory.endswith(f"<summary>\n{first}\n</summary>{marker}\n{block.close}")
    notes = wording.session_memory_block(first, "anchor", second)
    assert f"\n<summary>\n{first}\n</summary>\n[[COMPRESSION_RECALL: id={second}]]\n</" in notes
    line = wording.line(
        "status_todo_id_content_suffix", status=first, todo_id="7", content=second, suffix=""
    )
    assert line == f"- [{first}] 7: {second}"
    recovered = wording.recovered_context([("plan", first), ("todo", second)])
    assert recovered.endswith(
        f'<section name="plan">\n{first}\n</section>\n\n'
        f'<section name="todo">\n{second}\n</section>\n</recovered_context>'
    )
    if first.strip():
        assert f"\n{first.strip()}\n" in wording.preserve_instruction(first)


def test_an_empty_value_takes_the_default_of_its_placeholder() -> None:
    wording = Wording.default()

    assert wording.line("lines_returned_line_count", line_count=None).endswith("unknown")
    assert wording.line("lines_returned_line_count", line_count=12).endswith(" 12")
    assert fill("{a or ''}{b}", a="", b="") == ""
    assert fill("{unknown} {a}", a=1) == "{unknown} 1"


def test_nothing_to_preserve_adds_nothing() -> None:
    assert Wording.default().preserve_instruction(" \n") == ""


def test_a_skill_keeps_the_header_that_a_section_start_loses() -> None:
    assert Wording.default().state_header("SKILLS") == "[STATE_REINJECTION]\n[SKILLS]\n"


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_cut_keeps_both_ends(text: str, limit: int) -> None:
    layer = {"truncation": {"section": {"max_chars": limit, "mark": "<cut>"}}}
    cut = Wording.from_data(layer).truncation.section.cut(text)

    if len(text) <= limit:
        assert cut == text
    else:
        head, tail = text[: limit // 2], text[len(text) - (limit - limit // 2) :]
        assert cut == f"{head}<cut>{tail}"


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)
    elif isinstance(data, str):
        yield data


def _prose(text: str) -> list[str]:
    """Split a text at what is format: tags, markers, placeholders and titles of sections."""
    titles = {title for titles in SNAPSHOT_SECTIONS.values() for title in titles}
    longest_first = sorted(titles, key=len, reverse=True)
    markers = [r"<[^<>]*>", r"\[\[[^\]]*\]\]", r"\[STATE[^\]]*\]", r"\[READ[^\]]*\]", r"\{[^{}]*\}"]
    headings = r"\n*# [^\n]*\n_?"
    return re.split("|".join([headings, *markers, *map(re.escape, longest_first)]), text)


def _placeholders(text: str) -> list[str]:
    return re.findall(r"\{[^{}]*\}", text)
