"""Whole folders: every file is a source, whatever it holds."""

import os
from collections import Counter
from pathlib import Path

import pytest

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import Source, scan, settle
from tests.debug_files import DebugFolder, check, dump, line, listed, span
from tests.offload_files import tried, write_log
from tests.unprivileged import unprivileged


def sources(*paths: Path) -> list[Source]:
    found = list(scan(paths, HeadPool()))
    settle(found)
    return found


def test_every_file_of_every_recorded_run_has_a_kind(shared: Path) -> None:
    known = {
        "context_debug",
        "offloader_debug",
        "llm_request",
        "compression_dump",
        "rule_dump",
        "offload",
        "recall",
        "session_memory",
    }
    for workspace in sorted(shared.glob("dumps/*/workspace")):
        files = {str(path) for path in workspace.rglob("*") if path.is_file()}
        found = sources(workspace)
        assert {source.path for source in found} == files
        for source in found:
            if "_context/" in source.path and source.bytes:
                assert source.kind in known, source.path
                assert source.records > 0, source.path


def test_the_torn_lines_of_a_recorded_run_cost_only_themselves(shared: Path) -> None:
    found = sources(shared / "dumps/l_lone_surrogate/workspace")
    log = next(source for source in found if source.kind == "offloader_debug")
    assert log.records == 7
    assert [problem.offset for problem in log.problems] == [0, 366, 681]
    assert {problem.line for problem in log.problems} == {1}
    damaged = {Path(source.path).name for source in found if source.problems}
    assert len(damaged) == 3  # the log, a rule dump that breaks off, an empty offload file


def test_paths_that_overlap_are_read_once(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check("D", 0, 1)])
    assert len(sources(tmp_path, folder.session, tmp_path)) == 1


def test_loops_pipes_and_dead_links_end(tmp_path: Path) -> None:
    DebugFolder(tmp_path).write([check("D", 0, 1)])
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    found = {Path(source.path).name: source for source in sources(tmp_path)}
    assert set(found) == {"dead", "pipe", "D.jsonl"}
    assert found["D.jsonl"].records == 1
    assert all(len(found[name].problems) == 1 for name in ("dead", "pipe"))


def test_what_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    [missing] = sources(tmp_path / "nowhere")
    assert missing.kind == "unknown"
    assert "No such file" in missing.problems[0].reason
    locked = tmp_path / "locked.jsonl"
    locked.write_bytes(line(check("D", 0, 1)))
    locked.chmod(0)
    with unprivileged():
        assert "ermission" in sources(locked)[0].problems[0].reason


def test_an_empty_log_is_no_problem_but_an_empty_document_is(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "b.json").touch()
    found = {Path(source.path).name: len(source.problems) for source in sources(tmp_path)}
    assert found == {"a.jsonl": 0, "b.json": 1}


def test_a_damaged_document_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"offload_handle": "é", "messages": [1, ?]}', encoding="utf-8")
    [source] = sources(path)
    assert source.kind == "offload"
    assert source.problems[0].offset == path.read_bytes().index(b"?")


def test_a_cut_dump_still_says_what_it_is_of(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    path = folder.write_dump(dump("DialogueCompressor", 7, 900, 300, (1, 4, 2)))
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b'"compression_response"')])
    [source] = sources(tmp_path)
    assert source.dump is not None
    assert source.dump.torn
    assert (source.dump.processor, source.dump.before, source.dump.after) == (
        "DialogueCompressor",
        900,
        None,
    )
    assert source.dump.span == (1, 4, 2)
    assert source.dump.time == pytest.approx(1_795_987_460.0)  # from its name
    assert source.problems[0].offset > 0


def test_archive_files_are_told_by_their_manifest(shared: Path) -> None:
    found = sources(shared / "dumps/g_recall/workspace")
    assert Counter(s.kind for s in found)["recall"] == 13
    assert not any(s.kind in ("unknown", "conversation:openai") for s in found)


@pytest.mark.parametrize(("divisor", "writer"), [(3, "0.1.19.post2"), (4, "earlier")])
def test_the_writer_is_told_by_its_token_counts(tmp_path: Path, divisor: int, writer: str) -> None:
    message = listed("user", "x" * 60)
    message["tokens"] = 60 // divisor
    DebugFolder(tmp_path).write([span("D", 0, [message], [message])])
    assert sources(tmp_path)[0].writer == writer


@pytest.mark.parametrize(
    ("tokens", "chars", "writer"),
    [
        (100, 300, "0.1.19.post2"),
        (100, 302, "0.1.19.post2"),
        (100, 400, "earlier"),
        (100, 350, None),
        (1, 4, None),
    ],
)
def test_the_writer_is_told_by_the_offloaders_limits(
    tmp_path: Path, tokens: int, chars: int, writer: str | None
) -> None:
    entry = {**tried("c"), "threshold_tokens": tokens, "max_chars": chars}
    write_log(DebugFolder(tmp_path), [entry])
    assert sources(tmp_path)[0].writer == writer


def test_the_writer_is_told_by_other_files_of_the_session(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check("D", 0, 1), check("E", 0, 1) | {"session_id": "another"}])
    path = folder.write_dump(dump("D", 1, 9, 5, (0, 2, 1)))
    write_log(folder, [tried("c")])
    told = {Path(source.path).name: source.writer for source in sources(tmp_path)}
    assert told == {
        "D.jsonl": "0.1.19.post2",
        path.name: "0.1.19.post2",
        "message_offloader_debug.jsonl": "0.1.19.post2",
        "E.jsonl": None,
    }


def test_the_writer_stays_open_where_nothing_depends_on_it(tmp_path: Path) -> None:
    DebugFolder(tmp_path).write([check("D", 0, 1)])
    assert sources(tmp_path)[0].writer is None


def test_scanning_can_be_cancelled(tmp_path: Path) -> None:
    for n in range(5):
        (tmp_path / f"{n}.txt").write_text("x", encoding="utf-8")
    answers = iter([False, False])
    assert len(list(scan([tmp_path], HeadPool(), lambda: next(answers, True)))) == 2
