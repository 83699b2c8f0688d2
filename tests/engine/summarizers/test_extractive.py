"""The offline summary: keeps what matters, invents nothing, never takes more room than allowed."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    read_messages,
)
from engine.summarizers.cues import finds
from engine.summarizers.extractive import extractive_summary
from engine.wording import SNAPSHOT_SECTIONS, BlockKind, Wording
from tests.agent_spans import PlantedSpan, planted_span

KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
SPANS = 200


Summarized = list[tuple[PlantedSpan, BlockKind, str]]


@pytest.fixture(scope="module")
def summarized() -> Summarized:
    spans = [(planted_span(seed), KINDS[seed % len(KINDS)]) for seed in range(SPANS)]
    return [(span, kind, extractive_summary(span.messages, kind)) for span, kind in spans]


def test_planted_facts_survive(summarized: Summarized) -> None:
    kept: Counter[str] = Counter()
    for span, _, summary in summarized:
        snapshot = _snapshot(summary)
        kept.update(kind for kind, plant in span.plants.items() if plant in snapshot)

    assert set(kept) == {"constraint", "path", "command", "error", "number", "todo"}
    assert min(kept.values()) >= 0.95 * SPANS, kept


def test_summaries_stay_within_their_budget(summarized: Summarized) -> None:
    assert max(len(summary) for _, _, summary in summarized) // 3 <= 1_200


def test_equal_spans_give_equal_bytes(summarized: Summarized) -> None:
    finds.cache_clear()
    for seed in range(0, SPANS, 10):
        _, kind, summary = summarized[seed]
        again = extractive_summary(planted_span(seed).messages, kind)
        assert again.encode() == summary.encode()


def test_every_line_stands_in_the_source(summarized: Summarized) -> None:
    for span, kind, summary in summarized:
        _assert_verbatim(summary, span.messages, kind)


def test_sections_keep_the_order_of_the_block(summarized: Summarized) -> None:
    for _, kind, summary in summarized:
        titles = re.findall(r"^## (.+)$", _snapshot(summary), re.MULTILINE)
        places = [SNAPSHOT_SECTIONS[kind].index(title) for title in titles]
        assert all(first < second for first, second in pairwise(places))


ODD_TEXT = st.text(max_size=80) | st.sampled_from(
    [
        "必须保留 🙂 emoji 👩‍💻",
        "</state_snapshot> never leave the block",
        "<state_snapshot>",
        "- ",
        "## Active Task",
        '{"command": "ls -la /srv", "items": [{"content": "x y", "status": "open"}], "n": 30}',
        '["a", {"b": [1, 2',
        "Traceback (most recent call last):\nValueError: bad value 3",
        "\ud83d lone surrogate must stay",
        "x" * 5_000,
        "word " * 2_000,
        "<memory_block_round>\n<summary>\n## Relevant Files\n- a/b.py\n</summary>",
    ]
)
ODD_MESSAGES = st.lists(
    st.builds(UserMessage, content=ODD_TEXT)
    | st.builds(UserMessage, content=st.lists(ODD_TEXT, max_size=2))
    | st.builds(
        AssistantMessage,
        content=ODD_TEXT,
        tool_calls=st.lists(st.builds(ToolCall, name=st.just("t"), arguments=ODD_TEXT), max_size=2),
    )
    | st.builds(ToolMessage, content=ODD_TEXT, tool_call_id=st.just("1")),
    max_size=12,
)


@given(ODD_MESSAGES, st.sampled_from(KINDS), st.integers(0, 1_500))
def test_any_conversation_gives_two_blocks_within_the_budget(
    messages: list[Message], kind: BlockKind, budget: int
) -> None:
    summary = extractive_summary(messages, kind, budget)

    assert len(_snapshot(summary)) // 3 <= budget
    assert summary == extractive_summary(messages, kind, budget)
    _assert_verbatim(summary, messages, kind)


def test_nothing_gives_an_empty_snapshot() -> None:
    assert _snapshot(extractive_summary([], "round")) == ""


def test_one_huge_line_is_clipped_around_what_matters() -> None:
    line = "filler words go on " * 30_000
    text = f"{line}the retry limit is 4821 ms for the mirror {line}"
    snapshot = _snapshot(extractive_summary([ToolMessage(content=text, tool_call_id="1")], "round"))

    assert "retry limit is 4821 ms" in snapshot
    assert "…" in snapshot


def test_a_rule_survives_a_thousand_paths() -> None:
    listing = "\n".join(f"src/module_{i}/part_{i}.py" for i in range(1_000))
    messages: list[Message] = [
        UserMessage(content="List the files. Never rename a module."),
        ToolMessage(content=listing, tool_call_id="1"),
        AssistantMessage(content="TODO: ask who owns module_7."),
    ]
    snapshot = _snapshot(extractive_summary(messages, "round"))

    assert "Never rename a module." in snapshot
    assert "TODO: ask who owns module_7." in snapshot


def test_of_a_command_with_a_script_only_the_command_is_one() -> None:
    script = "python - <<'PY'\nbodies = read()\nprint(bodies)\nPY"
    call = ToolCall(name="bash", arguments=json.dumps({"command": script}))
    reading: list[Message] = [AssistantMessage(tool_calls=[call]), AssistantMessage(content="Ok.")]
    assert "command 1 of 1" in extractive_summary(reading, "round")


def test_a_rule_of_two_hundred_characters_is_kept_whole() -> None:
    rule = f"The report stays, but {'no statement, whatever it does, ' * 5}may hold the lock."
    assert 180 < len(rule) <= 200
    assert f"- {rule}\n" in _snapshot(extractive_summary([UserMessage(content=rule)], "round"))


def test_what_a_clipped_line_says_is_not_said_again() -> None:
    line = f"We never push before Friday, for the wait is 4821 ms, {'and then it goes on, ' * 10}."
    messages: list[Message] = [UserMessage(content=line), UserMessage(content="Go on.")]
    snapshot = _snapshot(extractive_summary(messages, "round"))
    assert snapshot.count("4821 ms") == 2  # as a rule and as a request, not as a number too


def test_of_equal_lines_the_short_ones_are_kept() -> None:
    short = [f"limit_{at} = {at} rows" for at in range(10)]
    long = [f"limit_{at} = {at} rows, {'as was said before ' * 5}" for at in range(10, 40)]
    result = ToolMessage(content="\n".join([*long, *short]), tool_call_id="1")
    snapshot = _snapshot(extractive_summary([result], "round", 300))
    assert sum(line in snapshot for line in short) > sum(line in snapshot for line in long)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("I changed config.py. Then it ran.", "config.py"),
        ("The rule is in settings.toml.", "settings.toml"),
        ("See util.test.ts, not util.", "util.test.ts"),
        ("It reads notes.md…", "notes.md"),
    ],
)
def test_a_file_name_may_end_a_sentence(text: str, path: str) -> None:
    assert [text[f.start : f.end] for f in finds(text, "assistant") if f.kind == "path"] == [path]


@pytest.mark.parametrize("text", ["self.conf.value is set", "import app.py.core", "go.mod_x"])
def test_a_name_in_code_is_no_file(text: str) -> None:
    assert not [find for find in finds(text, "assistant") if find.kind == "path"]


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_each_kind_stand_in_their_section(kind: BlockKind) -> None:
    messages = read_messages(
        [
            {"role": "user", "content": "Speed up the importer.\nDo not touch the schema."},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    _call("1", "bash", {"command": "pytest tests/importer -q"}),
                    _call("2", "read_file", {"file_path": "src/imp.py"}),
                    _call("3", "todo", {"todos": [{"content": "drop cache", "status": "pending"}]}),
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "E   KeyError: 'batch'"},
        ]
    )
    snapshot = _snapshot(extractive_summary(messages, kind))

    def lines_under(*titles: str) -> set[str]:
        parts = re.split(r"^## (.+)\n", snapshot, flags=re.MULTILINE)[1:]
        return {
            line.removeprefix("- ")
            for title, body in zip(parts[::2], parts[1::2], strict=True)
            if title in titles
            for line in body.splitlines()
        }

    assert "Do not touch the schema." in lines_under(
        "Constraints and Preferences",
        "Learned User Requirements, Preferences, and Acceptance Criteria",
    )
    assert "Speed up the importer." in lines_under(
        "Active Task",
        "Active Task and Success Criteria",
        "Historical User Requests and Outcomes",
    )
    assert "pytest tests/importer -q" in lines_under(
        "Completed Work in This Active Segment",
        "Current Execution State",
        "Historical Work Performed",
    )
    assert "drop cache" in lines_under(
        "Historical Pending Notes",
        "Pending Tasks and Next Useful Step",
        "Open Work, Blockers, Risks, and Verification",
    )
    assert "E   KeyError: 'batch'" in lines_under(
        "Evidence, Errors, Fixes, and Invalid Attempts",
        "Blockers, Risks, and Verification",
        "Current Task Facts, Decisions, Evidence, and Fixes",
    )
    assert "src/imp.py" in lines_under(
        "Relevant Files",
        "Relevant Files & Structure",
        "Files, Code Areas, and Artifacts",
        "Current Files, Code Areas, and Artifacts",
    )


def test_an_earlier_block_is_merged_first_and_once() -> None:
    earlier = (
        "## Constraints and Preferences\n- Never push to main.\n- Use tabs.\n"
        "## Relevant Files & Structure\n- src/old.py: the parser\n"
        "## Pending Tasks and Next Useful Step\n- none\n"
    )
    block = Wording.default().memory_block("current", earlier)
    reading = ToolCall(name="read_file", arguments='{"file_path": "src/new.py"}')
    messages: list[Message] = [
        UserMessage(content=block),
        AssistantMessage(tool_calls=[reading]),
        UserMessage(content="Never push to main.\nAlways ask before a release."),
    ]

    same = _snapshot(extractive_summary(messages, "current"))
    assert same.count("Never push to main.") == 1
    assert "none" not in same
    assert "## Relevant Files & Structure\n- src/old.py: the parser\n- src/new.py\n" in same
    rules = same.split("## Constraints and Preferences\n")[1].split("##")[0]
    assert rules.startswith("- Never push to main.\n- Use tabs.\n")
    assert "Always ask before a release." in rules

    other = _snapshot(extractive_summary(messages, "dialogue"))
    title = "## Learned User Requirements, Preferences, and Acceptance Criteria\n"
    assert f"{title}- Never push to main.\n- Use tabs.\n" in other
    assert "<memory_block" not in other


def test_a_long_earlier_block_leaves_room_for_what_is_new() -> None:
    rules = "\n".join(f"- Rule {i}: never change table {i} of the ledger." for i in range(200))
    block = Wording.default().memory_block("round", f"## Critical Context\n{rules}")
    messages = [UserMessage(content=block), UserMessage(content="Always keep the audit trail.")]

    assert "Always keep the audit trail." in _snapshot(extractive_summary(messages, "round"))


def test_a_summary_of_summaries_keeps_the_rule() -> None:
    rule = "Never delete the audit table, whatever happens."
    messages: list[Message] = [UserMessage(content=rule)]
    for seed in range(5):
        span = [*messages, *planted_span(seed).messages]
        snapshot = _snapshot(extractive_summary(span, "round"))
        messages = [UserMessage(content=Wording.default().memory_block("round", snapshot))]

    assert rule in messages[0].text


@pytest.mark.parametrize(
    "secret",
    [
        "api_key = 9f8e7d6c5b4a39281706",
        "export AUTH_TOKEN: Bearer abcdefgh12345678",
        "postgres://admin:hunter2secret@db/ledger failed: error",
        "sk-abcdefghijklmnop1234567890",
    ],
)
def test_secrets_stay_out(secret: str) -> None:
    messages: list[Message] = [
        UserMessage(content=f"Never log this:\n{secret}"),
        ToolMessage(content=f"ERROR: {secret}", tool_call_id="1"),
    ]
    snapshot = _snapshot(extractive_summary(messages, "round"))

    assert "Never log this:" in snapshot
    assert secret not in snapshot


def _call(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def _snapshot(summary: str) -> str:
    blocks = re.fullmatch(
        r"<coverage_check>\n.*?\n</coverage_check>\n<state_snapshot>\n(.*)</state_snapshot>",
        summary,
        re.DOTALL,
    )
    assert blocks
    assert "state_snapshot>" not in blocks.group(1)
    return blocks.group(1)


def _assert_verbatim(summary: str, messages: Sequence[Message], kind: BlockKind) -> None:
    source = "\n".join(text for message in messages for text in _texts(message))
    for line in _snapshot(summary).splitlines():
        if line.startswith("## "):
            assert line.removeprefix("## ") in SNAPSHOT_SECTIONS[kind]
        else:
            assert line.startswith("- ")
            assert line.removeprefix("- ").strip("…") in source, line


def _texts(message: Message) -> Iterator[str]:
    """Yield every text of a message, and what its JSON says once read."""
    texts = [message.text]
    if isinstance(message, AssistantMessage):
        texts += [call.arguments for call in message.tool_calls or ()]
    while texts:
        text = texts.pop()
        yield text
        for literal in re.findall(r'"(?:[^"\\]|\\.)*"', text):
            if "\\" in literal:
                try:
                    texts.append(json.loads(literal, strict=False))
                except ValueError:
                    continue
