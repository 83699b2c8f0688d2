"""The window before a compression, as a dump holds it or lets it be put together."""

from pathlib import Path

import pytest

from engine.debug.records import CompressionDump
from engine.debug.sinks import FileSink
from engine.messages import Message
from inspector.trace.windows.window import readable, window_before
from tests.conversations import contents, conversation
from tests.scripted import Script, bench

STORY = conversation("u a{x} t{x}:1500 a:1500 u a:900")


def dumped(folder: Path, *, additions: bool) -> CompressionDump:
    made = bench(
        ("RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 2}),
        messages=STORY,
        model=Script(),
        sink=FileSink(additions=additions),
        folder=folder,
    )
    made.window()
    [path] = folder.rglob("*.json")
    return CompressionDump.model_validate_json(path.read_bytes())


@pytest.mark.parametrize(("additions", "evidence"), [(True, "recorded"), (False, "verified")])
def test_the_window_before_is_taken_from_the_dump_or_put_together(
    additions: bool, evidence: str, tmp_path: Path
) -> None:
    window = window_before(dumped(tmp_path, additions=additions))
    messages: list[Message] | None = readable(window.context)
    assert messages is not None
    assert contents(messages) == contents(STORY)
    assert window.evidence == evidence


def test_what_is_recorded_wins_over_what_would_be_put_together(tmp_path: Path) -> None:
    dump = dumped(tmp_path, additions=True)
    torn = dump.context_after.model_copy(update={"messages": []})
    window = window_before(dump.model_copy(update={"context_after": torn}))
    assert len(window.context) == len(STORY)
