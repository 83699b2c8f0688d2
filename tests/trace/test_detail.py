"""What is shown of a decision: spans, windows, fates, summary, request, raw records."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.trace.opened import open_traces
from tests.debug_files import DebugFolder, check, dump, hit, listed, span

CURRENT = "CurrentRoundCompressor"


def shown(path: Path) -> Iterator[tuple[Decision, Detail]]:
    for trace in open_traces([path]).traces:
        for row in range(len(trace.decisions)):
            yield trace.decision(row), trace.detail(row)


def attempts(path: Path, outcome: str) -> list[tuple[Decision, Detail]]:
    return [(d, detail) for d, detail in shown(path) if d.outcome == outcome]


@pytest.mark.parametrize(
    "run",
    ["a_current_round_boundary_parallel", "b_dialogue", "c_round_level", "d_full_chain",
     "g_recall", "i_overflow_then_ok", "k_model_usage_baseline", "k_window_size_rounds",
     "l_mixed_content", "n_react_agent"],
)  # fmt: skip
def test_every_recorded_window_is_verified_and_fully_accounted_for(shared: Path, run: str) -> None:
    compressions = attempts(shared / "dumps" / run / "workspace", "compressed")
    assert compressions
    for decision, detail in compressions:
        assert decision.span is not None
        assert decision.tokens is not None
        assert detail.span is not None
        assert detail.windows is not None
        assert detail.span.evidence == detail.windows.evidence_before == "verified"
        sizes = Counter(detail.span.zones)
        assert (sizes["prefix"], sizes["compress"], sizes["tail"]) == (
            decision.span.prefix,
            decision.span.compress,
            decision.span.tail,
        )
        rows = detail.windows.rows
        before = [row.before for row in rows if row.before is not None]
        assert [m.position for m in before] == list(range(len(detail.span.messages)))
        gone = [row for row in rows if row.after is None]
        assert len(gone) == decision.span.compress
        assert {row.fate for row in gone} <= {"summarised", "re-injected"}
        written = [row.after for row in rows if row.fate == "written"]
        assert written[0] is not None
        assert str(written[0].content).startswith("<memory_block_")
        assert sum(m.tokens for m in before) + 3 == decision.tokens.before


def test_an_overflow_shows_what_the_span_was_before(shared: Path) -> None:
    [(_, detail)] = attempts(shared / "dumps/i_overflow_then_ok/workspace", "compressed")
    assert detail.span is not None
    assert detail.span.shrunk_from == 60
    assert len(detail.records) == 5


def test_the_calls_that_moved_the_boundary_are_named(shared: Path) -> None:
    path = shared / "dumps/a_current_round_boundary_parallel/workspace"
    for _, detail in attempts(path, "compressed"):
        view = detail.span
        assert view is not None
        assert view.wanted_tail == 1
        [tie] = view.moved_by
        boundary = view.zones.index("tail")
        assert tie.call == boundary
        assert all(view.zones[at] == "tail" for at in tie.results)
        assert view.messages[boundary].role == "assistant"


def test_a_give_up_shows_the_window_that_stayed(shared: Path) -> None:
    given_up = attempts(shared / "dumps/d_full_chain/workspace", "gave_up")
    assert len(given_up) == 3
    for _, detail in given_up:
        assert detail.span is not None
        assert detail.windows is not None
        assert detail.span.evidence == "verified"
        assert not any(message.partial for message in detail.span.messages)
        assert {row.fate for row in detail.windows.rows} == {"kept"}
        assert (detail.summary, detail.request) == (None, None)


def test_without_any_full_message_previews_are_shown_as_such(shared: Path) -> None:
    [(_, detail)] = attempts(shared / "dumps/i_overflow_exhausted/workspace", "gave_up")
    assert detail.span is not None
    assert all(message.partial for message in detail.span.messages)
    assert detail.windows is None
    assert any("200 characters" in note for note in detail.notes)


def test_a_request_record_shows_the_window_of_a_decline(shared: Path) -> None:
    declines = attempts(shared / "dumps/n_react_agent/workspace", "declined")
    with_window = [detail.windows for _, detail in declines if detail.windows is not None]
    assert with_window
    for windows in with_window:
        assert windows.evidence_before == "recorded"
        assert all(row.before == row.after for row in windows.rows)


def test_the_answer_is_taken_apart(shared: Path) -> None:
    [(_, detail)] = attempts(shared / "dumps/j_unclosed_snapshot/workspace", "compressed")
    assert detail.summary is not None
    assert detail.summary.snapshot_missing
    assert detail.summary.coverage
    assert detail.request is not None
    assert detail.request.prompt not in [m.content for m in detail.request.messages]
    assert [m.position for m in detail.request.messages][:1] == [-1]


def test_raw_records_are_those_of_the_file(shared: Path) -> None:
    for decision, detail in shown(shared / "dumps/k_window_size_rounds/workspace"):
        found = [(record.path, record.offset) for record in detail.records]
        expected = [(record.path, record.offset) for record in decision.records]
        assert found == expected + ([(decision.dump, 0)] if decision.dump else [])
        assert all(isinstance(json.loads(record.text), dict) for record in detail.records)


def test_a_shrunken_give_up_is_recomputed_where_its_window_is_known(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    messages = [{"role": "user", "content": f"message {n} " + "x" * 300} for n in range(12)]
    document = dump(CURRENT, 20, 2_000, 900, (1, 11, 0))
    document["compression_request"]["messages_sent_to_model"] = [
        *messages,
        {"role": "user", "content": "Summarise."},
    ]
    document["compression_request"]["tools"] = [{"name": "t"}]
    folder.write_dump(document)
    sizes = [(21 + len(m["content"])) // 3 for m in messages]
    items = [listed("user", m["content"]) for m in messages]
    shrunk = {
        **check(CURRENT, 2, 0),
        "event": "compression_retry",
        "reason": "budget_ratio_shrink",
        "budget_ratio": 0.1,  # of 10,000
        "attempt": 1,
    }
    folder.write(
        [
            hit(CURRENT, 0, target=sum(sizes[1:]) + 3),
            span(CURRENT, 1, items[:1], items[1:]),
            shrunk,
            hit(CURRENT, 18),
            span(CURRENT, 19, items[:1], items[1:]),
        ]
    )
    [trace] = open_traces([tmp_path]).traces
    decision = trace.decision(0)
    assert decision.outcome == "gave_up"
    assert decision.span is not None
    assert decision.span.basis == "inferred"
    fitting = decision.span.compress
    room = 1_000 - (3 + sizes[0] + (21 + len("Summarise.")) // 3) - 3
    assert sum(sizes[1 : fitting + 1]) + 3 * fitting <= room
    assert sum(sizes[1 : fitting + 2]) + 3 * (fitting + 1) > room - 60  # the tool's own tokens
    assert decision.span.tail == 11 - fitting
    detail = trace.detail(0)
    assert detail.span is not None
    assert detail.span.shrunk_from == 11


def test_a_file_that_has_gone_is_said(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([hit(CURRENT, 0), span(CURRENT, 1)])
    [trace] = open_traces([tmp_path]).traces
    (folder.session / "context_debug" / f"{CURRENT}.jsonl").unlink()
    assert "cannot be read any more" in trace.detail(0).notes[0]


def test_impossible_counts_are_no_danger(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    document = dump(CURRENT, 2, 700, 300, (1, 2, 0))
    document["span"] = {
        "preserved_prefix_count": -3,
        "messages_to_compress_count": 10**15,
        "protected_tail_count": 10**15,
    }
    document["compression_request"]["exclude_recent_messages"] = -(10**15)
    folder.write_dump(document)
    folder.write([hit(CURRENT, 0), span(CURRENT, 1)])
    [(_, detail)] = attempts(tmp_path, "compressed")
    assert detail.span is not None
    assert len(detail.span.zones) == len(detail.span.messages)


def test_messages_of_any_kind_are_shown(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    document = dump(CURRENT, 2, 700, 300, (1, 2, 0))
    document["compression_request"]["messages_sent_to_model"][1] = {
        "role": "narrator",
        "content": {"not": "text"},
        "metadata": 7,
        "tool_calls": "none",
    }
    folder.write_dump(document)
    folder.write([hit(CURRENT, 0), span(CURRENT, 1)])
    [(_, detail)] = attempts(tmp_path, "compressed")
    assert detail.windows is not None
    assert detail.windows.evidence_before == "reconstructed"
    assert any("not the recorded" in note for note in detail.notes)
