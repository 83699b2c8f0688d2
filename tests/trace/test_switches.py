"""Which debug switches were off, told by what is missing."""

from pathlib import Path

import pytest

from inspector.trace.opened import open_traces
from inspector.trace.switches import ALL, COMPRESSORS, NOTES, OFFLOADS, REQUESTS, switched_off
from tests.debug_files import DebugFolder, check, dump, record
from tests.offload_files import small, write_json, write_log, write_offload

HANDLE = "0123456789abcdef" * 2
REQUEST = record("pre_call", "llm_request", 1, messages=[])


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path)


def lines(folder: DebugFolder) -> list[tuple[str, ...]]:
    return [gap.lines for gap in switched_off(open_traces([folder.root]).sources)]


def test_where_everything_is_there_nothing_was_off(folder: DebugFolder) -> None:
    folder.write([check("DialogueCompressor", 0, 5), REQUEST])
    write_log(folder, [small("c")])
    write_offload(folder.session / "offload", HANDLE, "c")
    assert lines(folder) == []


def test_only_originals(folder: DebugFolder) -> None:
    write_offload(folder.session / "offload", HANDLE, "c", "MessageOffloader")
    [gap] = switched_off(open_traces([folder.root]).sources)
    assert gap.nothing
    assert "Only offloaded originals" in gap.what
    assert set(ALL + COMPRESSORS + OFFLOADS) <= set(gap.lines)


def test_only_the_agents_requests(folder: DebugFolder) -> None:
    folder.write([REQUEST])
    [gap] = switched_off(open_traces([folder.root]).sources)
    assert gap.nothing
    assert "does nothing for the processors" in gap.what


def test_nothing_of_the_engine(folder: DebugFolder) -> None:
    (folder.root / "AGENT.md").write_text("hello", encoding="utf-8")
    [gap] = switched_off(open_traces([folder.root]).sources)
    assert gap.nothing
    assert "no files" in gap.what


def test_the_offloaders_log(folder: DebugFolder) -> None:
    folder.write([check("DialogueCompressor", 0, 5), REQUEST])
    write_offload(folder.session / "offload", HANDLE, "c", "MessageOffloader")
    assert lines(folder) == []  # the older class has no log
    write_offload(folder.session / "offload", "a" * 32, "c")
    assert lines(folder) == [OFFLOADS]


def test_the_compressors_records(folder: DebugFolder) -> None:
    write_log(folder, [small("c")])
    folder.write([REQUEST])
    assert lines(folder) == [COMPRESSORS]


def test_the_agents_requests(folder: DebugFolder) -> None:
    folder.write([check("DialogueCompressor", 0, 5)])
    assert lines(folder) == [REQUESTS]


def test_dumps_whose_checks_lie_elsewhere(folder: DebugFolder) -> None:
    folder.write_dump(dump("DialogueCompressor", 2, 9, 5, (0, 2, 1)))
    [checks, _requests] = switched_off(open_traces([folder.root]).sources)
    assert "the checks before them are not here" in checks.what
    assert not checks.lines


def test_the_records_of_session_memory_are_none_of_a_compressor(folder: DebugFolder) -> None:
    folder.write([check("SessionMemoryCompressor", 0, 5), REQUEST])
    [gap] = switched_off(open_traces([folder.root]).sources)
    assert gap.lines == COMPRESSORS
    assert not gap.nothing


def test_no_switch_is_blamed_for_what_was_not_opened(folder: DebugFolder) -> None:
    folder.write_dump(dump("DialogueCompressor", 2, 9, 5, (0, 2, 1)))
    dumps = folder.session / "compression_logs"
    for part in (dumps, *dumps.iterdir()):
        [gap] = switched_off(open_traces([part]).sources)
        assert "Only a part" in gap.what
        assert not gap.lines


def test_a_part_that_decides_nothing_may_be_all_there_is(folder: DebugFolder) -> None:
    folder.write([REQUEST])
    offloads = folder.session / "offload"
    write_offload(offloads, HANDLE, "c")
    for part in (offloads, folder.session / "context_debug"):
        [gap] = switched_off(open_traces([part]).sources)
        assert gap.nothing
        assert "Only a part" in gap.what
        assert set(ALL + OFFLOADS) <= set(gap.lines)


def test_the_records_of_the_notes(folder: DebugFolder) -> None:
    folder.write([check("DialogueCompressor", 0, 5), REQUEST])
    notes = folder.session / "session_memory" / "session_context.md"
    notes.parent.mkdir()
    notes.write_text("# Session Title\n# Worklog\n- x\n", encoding="utf-8")
    assert lines(folder) == [NOTES]
    folder.write([check("SessionMemory", 1, 5)])
    assert lines(folder) == []


def test_conversations_of_others_lack_nothing(folder: DebugFolder) -> None:
    chat = [{"role": "user", "content": "hi"}]
    write_json(folder.root / "chat.json", {"messages": chat})
    assert lines(folder) == []
