"""What is concluded where the files are silent, damaged or unfinished."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
from inspector.trace.decision import Decision
from inspector.trace.opened import open_traces, read_traces
from tests.debug_files import DebugFolder, Record, check, dump, hit, line, listed, retry, span

DIALOGUE, CURRENT, ROUND = "DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor"


@pytest.fixture
def folder(tmp_path: Path) -> DebugFolder:
    return DebugFolder(tmp_path)


def request(at: float, total: int) -> list[Record]:
    """Return the checks of a request in which nothing was near."""
    return [check(p, at + n / 100, total) for n, p in enumerate((DIALOGUE, CURRENT, ROUND))]


def told(folder: DebugFolder, *records: Record, tailing: bool = False) -> list[Decision]:
    folder.write(records)
    pool = HeadPool()
    sources = list(scan([folder.root], pool))
    [trace] = read_traces(sources, pool, tailing)
    return [trace.decision(row) for row in range(len(trace.decisions))]


def attempts(decisions: Sequence[Decision]) -> list[Decision]:
    return [d for d in decisions if d.outcome != "declined" and d.records]


def test_each_request_is_a_step(folder: DebugFolder) -> None:
    decisions = told(folder, *request(0, 10), *request(1, 20), *request(2, 20), *request(3, 30))
    assert [d.step for d in decisions] == [n for n in range(1, 5) for _ in range(3)]


def test_a_lost_check_does_not_shift_the_steps(folder: DebugFolder) -> None:
    records = [r for n in range(6) for r in request(n, 10 * n)]
    del records[3]
    decisions = told(folder, *records)
    assert [d.step for d in decisions] == [1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6]


def test_a_dump_decides(folder: DebugFolder) -> None:
    folder.write_dump(dump(CURRENT, 2, 700, 300, (1, 2, 0)))
    [decision] = attempts(told(folder, hit(CURRENT, 0), span(CURRENT, 1), check(CURRENT, 9, 400)))
    assert (decision.outcome, decision.basis, decision.duration) == ("compressed", "recorded", 2)
    assert decision.tokens is not None
    assert (decision.tokens.before, decision.tokens.after) == (700, 300)
    assert decision.dump is not None


def test_a_dump_belongs_to_one_attempt_only(folder: DebugFolder) -> None:
    folder.write_dump(dump(CURRENT, 12, 700, 300, (1, 2, 0)))
    first, second = attempts(
        told(folder, hit(CURRENT, 0), span(CURRENT, 1), hit(CURRENT, 10), span(CURRENT, 11))
    )
    assert (first.outcome, first.dump) == ("gave_up", None)
    assert (second.outcome, second.basis) == ("compressed", "recorded")


def test_a_dump_without_records_is_a_decision(folder: DebugFolder) -> None:
    folder.write_dump(dump(CURRENT, 2, 700, 300, (1, 2, 0)))
    decisions = [d for d in told(folder) if d.dump]
    assert [(d.outcome, d.basis, d.step) for d in decisions] == [("compressed", "recorded", None)]


@pytest.mark.parametrize(
    ("reason", "attempt", "expected", "calls"),
    [
        ("no_smaller_span", 1, "overflow_no_smaller_span", 1),
        ("retry_budget_exhausted", 4, "overflow_exhausted", 4),
    ],
)
def test_a_recorded_end_decides(
    folder: DebugFolder, reason: str, attempt: int, expected: str, calls: int
) -> None:
    shrinks = [
        retry(CURRENT, 2 + n, n, "budget_ratio_shrink", budget_ratio=0.5) for n in range(1, attempt)
    ]
    [decision] = attempts(
        told(
            folder, hit(CURRENT, 0), span(CURRENT, 1), *shrinks, retry(CURRENT, 8, attempt, reason)
        )
    )
    assert (decision.reason, decision.basis, decision.candidates) == (expected, "recorded", [])
    assert decision.model_calls == calls
    assert len(decision.retries) == attempt
    gate = next(gate for gate in decision.gates if gate.passed is False)
    assert (gate.gate, gate.value) == ("model_call", calls)


def test_two_pauses_and_silence_are_most_likely_a_third_error(folder: DebugFolder) -> None:
    pauses = [retry(CURRENT, 2 + n, n, "transient_backoff", delay_seconds=0.05) for n in (1, 2)]
    [decision] = attempts(told(folder, hit(CURRENT, 0), span(CURRENT, 1), *pauses))
    assert decision.candidates[0] == "transient_exhausted"
    assert len(decision.candidates) == 4
    assert (decision.basis, decision.model_calls) == ("inferred", 3)


def test_an_equal_total_after_it_means_that_an_attempt_was_given_up(folder: DebugFolder) -> None:
    [decision] = attempts(
        told(folder, *request(0, 10), hit(DIALOGUE, 1), span(DIALOGUE, 2), check(CURRENT, 3, 9_000))
    )
    assert (decision.outcome, decision.basis) == ("gave_up", "inferred")
    assert "interrupted" not in decision.candidates


@pytest.mark.parametrize("total", [4_000, 9_400])
def test_another_total_after_it_means_a_compression(folder: DebugFolder, total: int) -> None:
    [decision] = attempts(
        told(folder, *request(0, 10), hit(DIALOGUE, 1), span(DIALOGUE, 2), check(CURRENT, 3, total))
    )
    assert (decision.outcome, decision.basis, decision.dump) == ("compressed", "inferred", None)


def test_a_new_memory_block_means_a_compression(folder: DebugFolder) -> None:
    user, work = listed("user", "do it"), [listed("assistant", "x" * n) for n in (30, 60)]
    block = listed("user", "<memory_block_current>\n" + "y" * 90)
    decisions = attempts(
        told(
            folder,
            hit(CURRENT, 0),
            span(CURRENT, 1, [user], work),
            hit(CURRENT, 2),
            span(CURRENT, 3, [user], [block, *work]),
            hit(CURRENT, 4),
            span(CURRENT, 5, [user], [block, *work, *work]),
        )
    )
    assert [d.outcome for d in decisions] == ["compressed", "gave_up", "undecided"]
    assert decisions[2].candidates[0] == "compressed"  # dumps are off, and nothing follows


def test_without_the_place_of_dumps_the_end_is_open(folder: DebugFolder) -> None:
    folder.write([hit(CURRENT, 0), span(CURRENT, 1)])
    [trace] = open_traces([folder.session / "context_debug" / f"{CURRENT}.jsonl"]).traces
    decision = trace.decision(0)
    assert (decision.outcome, decision.basis) == ("undecided", "inferred")
    assert decision.candidates[0] == "compressed"
    assert 1 < len(decision.candidates) <= 4


def test_a_request_that_ends_there_was_interrupted(folder: DebugFolder) -> None:
    [decision] = attempts(
        told(folder, *request(0, 10), hit(DIALOGUE, 1), span(DIALOGUE, 2), *request(9, 9_100))
    )
    assert (decision.outcome, decision.candidates) == ("gave_up", ["interrupted"])


def test_a_small_span_points_to_no_benefit(folder: DebugFolder) -> None:
    records = hit(CURRENT, 0, target=120), span(CURRENT, 1)
    [decision] = attempts(told(folder, *records))
    assert decision.candidates[0] == "no_benefit"
    [trace] = open_traces([folder.root]).traces
    assert "120 tokens" in " ".join(trace.detail(0).notes)


def test_what_may_still_end_is_running_only_while_tailing(folder: DebugFolder) -> None:
    records = [*request(0, 10), hit(ROUND, 1), span(ROUND, 2)]
    assert attempts(told(folder, *records, tailing=True))[0].outcome == "running"
    assert attempts(told(folder, tailing=False))[0].outcome == "gave_up"


def test_a_passed_check_without_a_span_stays_open(folder: DebugFolder) -> None:
    [decision] = attempts(told(folder, hit(CURRENT, 0)))
    assert (decision.outcome, decision.candidates) == ("undecided", ["interrupted"])
    assert decision.model_calls == 0


def test_a_torn_span_counts(folder: DebugFolder) -> None:
    folder.write([hit(CURRENT, 0)])
    path = folder.session / "context_debug" / f"{CURRENT}.jsonl"
    torn = line(span(CURRENT, 1))[:180]
    path.write_bytes(path.read_bytes() + torn + line(check(CURRENT, 5, 9_000)))
    first, second = told(folder)[:2]
    assert (first.outcome, first.model_calls, first.span) == ("gave_up", 1, None)
    assert second.outcome == "declined"


def test_a_span_behind_damage_is_not_taken_for_one_on_demand(folder: DebugFolder) -> None:
    path = folder.session / "context_debug" / f"{CURRENT}.jsonl"
    path.parent.mkdir(parents=True)
    damaged = b"#" * 80 + b"\n"
    path.write_bytes(line(check(CURRENT, 0, 5)) + damaged + line(span(CURRENT, 1)))
    [decision] = attempts(told(folder))
    assert decision.phase == "get_context_window"


def test_a_forced_span_is_a_compression_on_demand(folder: DebugFolder) -> None:
    records = [*request(0, 10), check(DIALOGUE, 1, 11), span(CURRENT, 2), span(ROUND, 3)]
    decisions = told(folder, *records, *request(9, 20))
    forced = attempts(decisions)
    assert [(d.phase, d.step) for d in forced] == [("active_compress", 1)] * 2
    for decision in forced:
        assert decision.tokens is not None
        assert decision.tokens.total is None
    assert [d.step for d in decisions] == [1, 1, 1, 1, 1, 1, 2, 2, 2]


def test_a_lone_dialogue_check_is_a_compression_on_demand(folder: DebugFolder) -> None:
    folder.write_dump(dump(DIALOGUE, 6, 700, 300, (0, 2, 1)))
    on_demand = [hit(DIALOGUE, 4), span(DIALOGUE, 5), check(DIALOGUE, 7, 12)]
    decisions = told(folder, *request(0, 10), *on_demand, *request(9, 20))
    assert [d.step for d in decisions] == [1] * 5 + [2] * 3
    [compression] = attempts(decisions)
    assert (compression.outcome, compression.phase) == ("compressed", "active_compress")
    assert {d.phase for d in decisions if d.outcome == "declined"} == {"get_context_window"}


def test_a_check_that_breaks_off_is_decided_by_its_figures(folder: DebugFolder) -> None:
    text = line(check(CURRENT, 0, 5))
    path = folder.session / "context_debug" / f"{CURRENT}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(text[: text.index(b'"hit"')] + b"\n" + line(check(CURRENT, 1, 6)))
    decision = told(folder)[0]
    assert (decision.outcome, decision.reason) == ("declined", "below_threshold")
    assert decision.basis == "inferred"


def test_a_silent_compressor_is_named_once(folder: DebugFolder) -> None:
    decisions = told(folder, *[check(DIALOGUE, n, n) for n in range(5)])
    silent = [d for d in decisions if not d.records]
    assert [d.processor for d in silent] == [CURRENT, ROUND]
    for decision in silent:
        assert (decision.outcome, decision.basis, decision.step) == ("undecided", "inferred", None)
        assert decision.candidates == ["no_model", "debug_off", "not_in_chain"]
        assert decision.time is None
        assert decision.after is not None


def test_the_least_target_is_learned_from_a_decline(folder: DebugFolder) -> None:
    declined = check(
        CURRENT, 0, 8_500, "target_below_min", target_tokens=10, min_target_tokens=1_000
    )
    decisions = told(folder, declined, hit(CURRENT, 1), span(CURRENT, 2))
    limits = [next(g for g in d.gates if g.gate == "min_target") for d in decisions[:2]]
    assert [(gate.limit, gate.basis) for gate in limits] == [
        (1_000, "recorded"),
        (1_000, "inferred"),
    ]


def test_the_writers_own_statement_is_believed(folder: DebugFolder) -> None:
    stated = {
        **check(CURRENT, 3, 0),
        "event": "outcome",
        "outcome": "gave_up",
        "reason": "empty_answer",
        "span": {
            "preserved_prefix_count": 1,
            "messages_to_compress_count": 2,
            "protected_tail_count": 3,
        },
        "model_calls": 2,
        "before_tokens": 900,
        "summarizers": ["recorded", "extractive"],
    }
    [decision] = attempts(told(folder, hit(CURRENT, 0), span(CURRENT, 1), stated))
    assert (decision.reason, decision.basis) == ("empty_answer", "recorded")
    assert decision.model_calls == 2
    assert decision.span is not None
    assert decision.span.tail == 3
    assert decision.summarizers == ["recorded", "extractive"]
