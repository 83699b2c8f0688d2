"""Counting as the writer of a recording did."""

from pathlib import Path

import pytest

from engine.messages import AssistantMessage, Message, ToolInfo, UsageMetadata, UserMessage
from inspector.sources.writer import CURRENT, EARLIER
from inspector.trace.opened import open_traces
from inspector.trace.windows.formulas import CURRENT_FORMULAS, EARLIER_FORMULAS, formulas_of
from tests.debug_files import DebugFolder, dump, hit, listed, span

DIALOGUE = "DialogueCompressor"


@pytest.mark.parametrize(("writer", "chars"), [(CURRENT, 3), (EARLIER, 4), (None, 3)])
def test_each_writer_has_its_formulas(writer: str | None, chars: int) -> None:
    assert formulas_of(writer).chars_per_token == chars


def test_earlier_versions_counted_contents_only() -> None:
    counter = EARLIER_FORMULAS.counter
    messages = [UserMessage(content="x" * 41), UserMessage(content="")]
    assert counter.count_messages(messages) == 10 + 1
    assert CURRENT_FORMULAS.counter.count_messages(messages) == 3 + (21 + 41) // 3 + 21 // 3
    assert counter.count_messages([]) == 0
    tool = ToolInfo(name="t", description="d" * 100, parameters={})
    assert counter.count_tools([tool]) > 25
    assert counter.count("x" * 9) == 2


def test_what_follows_reported_usage_is_estimated() -> None:
    usage = UsageMetadata(total_tokens=100)
    messages: list[Message] = [
        AssistantMessage(content="a", usage_metadata=usage),
        UserMessage(content="x" * 24),
    ]
    assert EARLIER_FORMULAS.with_usage(messages) == 106
    assert CURRENT_FORMULAS.with_usage(messages) == 108
    assert EARLIER_FORMULAS.with_usage(messages[1:]) is None


def test_a_dump_of_an_earlier_version_is_counted_as_it_was(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    text = "message 0"
    earlier = listed("user", "y" * 60) | {"tokens": 15}
    folder.write([hit(DIALOGUE, 0), span(DIALOGUE, 1, [earlier], [earlier])])
    document = dump(DIALOGUE, 2, 4 * max(len(text) // 4, 1), 5, (1, 2, 1))
    folder.write_dump(document)
    [trace] = open_traces([tmp_path]).traces
    windows = trace.detail(0).windows
    assert windows is not None
    assert windows.evidence_before == "verified"
    assert [row.before.tokens for row in windows.rows if row.before] == [2, 2, 2, 2]
