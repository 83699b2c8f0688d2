"""A context made up: columns of any length, and a detail with everything in it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np

from inspector.trace.context_trace import NO_NUMBER, NO_NUMBER_SAVED, DecisionColumns, StepColumns
from inspector.trace.decision import Decision, Gate, Method, Retry, Span, Tokens
from inspector.trace.detail import (
    Detail,
    RequestView,
    SpanView,
    SummarySection,
    SummaryView,
    ToolTie,
    TraceMessage,
    WindowDiff,
    WindowRow,
)
from inspector.trace.evidence.raw_records import RawRecord
from inspector.trace.evidence.recalls import Recall
from tests.patience import PATIENCE

CAPACITY, THRESHOLD = 24_000, 19_200
PROCESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
OUTCOMES = ("declined", "compressed", "gave_up")
REASONS = ("below_threshold", "no_compressible_span", "no_benefit?")


def message(position: int, role: str, content: str, tokens: int, **more: object) -> TraceMessage:
    return TraceMessage(position, role, content, tokens, **more)  # type: ignore[arg-type]


def call(call_id: str, name: str = "read_file") -> dict[str, object]:
    arguments = '{"path": "src/窗口.py"}'
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


MESSAGES = (
    message(0, "user", "Fix the failing unit tests in the token window module 🙂", 41),
    message(1, "assistant", "", 58, tool_calls=(call("call_0007"),)),
    message(2, "tool", "def window():\n    return 1\n" * 120, 1_870, tool_call_id="call_0007"),
    message(3, "assistant", "Located it: the boundary is off by one. 边界差一。", 36),
    message(4, "assistant", "", 61, tool_calls=(call("call_0021", "run_tests"), call("call_0022"))),
    message(
        5,
        "tool",
        "3 failed, 128 passed in 4.2 s\x1b[31m <b>bold</b>",
        214,
        tool_call_id="call_0021",
    ),
    message(6, "tool", "", 12, tool_call_id="call_0022"),
)
TIES = (
    ToolTie("call_0007", "read_file", 1, (2,)),
    ToolTie("call_0021", "run_tests", 4, (5,)),
    ToolTie("call_0022", "read_file", 4, (6,)),
)
SPAN = SpanView(
    MESSAGES,
    ("prefix", "compress", "compress", "compress", "tail", "tail", "tail"),
    TIES,
    wanted_tail=2,
    moved_by=TIES[1:2],
)
MEMORY = message(1, "user", "<memory_block_current>\nwork so far\n</memory_block_current>", 210)
WINDOWS = WindowDiff(
    (
        WindowRow(MESSAGES[0], MESSAGES[0], "kept"),
        *(WindowRow(each, None, "summarised") for each in MESSAGES[1:4]),
        WindowRow(None, MEMORY, "written"),
        WindowRow(MESSAGES[4], MESSAGES[4], "kept"),
        WindowRow(
            MESSAGES[5],
            message(3, "tool", "3 failed, 12 passed in 4.2 s", 20),
            "offloaded",
            changed=True,
        ),
    ),
    19_344,
    7_442,
    "reconstructed",
    "recorded",
)
SUMMARY = SummaryView(
    raw="<coverage_check>\nall there\n</coverage_check>\n<state_snapshot>\n## Task\nFix it.",
    extracted="## Task\nFix it.\n## Files\nsrc/窗口.py",
    coverage="all there",
    sections=(SummarySection("Task", "Fix it."), SummarySection("Files", "src/窗口.py")),
    usage={"model_name": "model-x", "calls": 1, "input_tokens": 18_123, "output_tokens": 543},
)
REQUEST = RequestView(
    (message(-1, "system", "You are careful.", 12), *MESSAGES),
    "Write a summary.",
    1,
    ({"type": "function", "name": "read_file"},),
)
DETAIL = Detail(
    SPAN,
    WINDOWS,
    SUMMARY,
    REQUEST,
    (RawRecord("a/b.jsonl", 88_214, 120, "span_built", '{\n  "x": 1\n}'),),
)


@dataclass
class FakeTrace:
    """`count` decisions, three a step; every tenth step compresses, every 40th gives up."""

    count: int = 600
    session_id: str = "sess-会话"
    context_id: str = "main"
    capacity: int | None = CAPACITY
    thresholds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PROCESSORS, THRESHOLD))
    recalls: tuple[Recall, ...] = ()
    method: Method | None = "usage+tail"
    details_read: list[int] = field(default_factory=list)
    readable: threading.Event = field(default_factory=threading.Event)
    """Cleared: reading a detail waits."""

    def __post_init__(self) -> None:
        self.readable.set()
        rows = np.arange(self.count)
        step = rows // 3 + 1
        fires = (step % 10 == 0) & (rows % 3 == 1)
        fails = fires & (step % 40 == 0)
        outcome = np.where(fails, 2, np.where(fires, 1, 0)).astype(np.int16)
        total = 2_000 + (step - 1) % 10 * 1_980
        saved = np.where(outcome == 1, total - 3_000, NO_NUMBER_SAVED)
        self.decisions = DecisionColumns(
            time=(1.7e9 + rows * 0.75).astype(np.float64),
            step=step,
            processor=(rows % 3).astype(np.int16),
            processors=PROCESSORS,
            outcome=outcome,
            outcomes=OUTCOMES,
            reason=np.where(fails, 2, np.where(fires, -1, 0)).astype(np.int16),
            reasons=REASONS,
            total=total,
            size=np.full(self.count, NO_NUMBER),
            threshold=np.full(self.count, THRESHOLD),
            saved=saved,
            duration=np.where(fires, 1.5, np.nan),
            inferred=fails,
        )
        number = np.unique(step)
        totals = 2_000 + (number - 1) % 10 * 1_980
        sent = np.where((number % 10 == 0) & (number % 40 != 0), 3_000, totals)
        sent[-1:] = NO_NUMBER
        self.steps = StepColumns(number, (1.7e9 + number * 2.25).astype(np.float64), totals, sent)

    def decision(self, row: int) -> Decision:
        columns = self.decisions
        outcome = columns.outcomes[columns.outcome[row]]
        total = int(columns.total[row])
        over = outcome != "declined"
        return Decision(
            session_id=self.session_id,
            context_id=self.context_id,
            time=float(columns.time[row]),
            duration=1.5 if over else None,
            step=int(columns.step[row]),
            processor=columns.processors[columns.processor[row]],
            phase="get_context_window",
            outcome=outcome,
            reason=None if over else "below_threshold",
            candidates=["no_benefit", "empty_answer"] if outcome == "gave_up" else [],
            basis="inferred" if outcome == "gave_up" else "recorded",
            gates=_gates(total, outcome),
            tokens=Tokens(
                total=total,
                threshold=THRESHOLD,
                capacity=CAPACITY,
                target=15_780 if over else None,
                before=total if outcome == "compressed" else None,
                after=3_000 if outcome == "compressed" else None,
                method=self.method,
            ),
            span=Span(prefix=1, compress=3, tail=3) if over else None,
            retries=[
                Retry(
                    attempt=1, error="transient:rate_limit", action="transient_backoff", delay=0.05
                )
            ]
            if outcome == "gave_up"
            else [],
            model_calls=2 if outcome == "gave_up" else int(over),
        )

    def detail(self, row: int) -> Detail:
        self.details_read.append(row)
        assert self.readable.wait(PATIENCE)
        fired = self.decisions.outcome[row] != 0
        return DETAIL if fired else Detail(records=DETAIL.records)


def _gates(total: int, outcome: str) -> list[Gate]:
    over = outcome != "declined"
    margin = total - THRESHOLD
    gates = [Gate(gate="model", passed=True, basis="inferred")]
    gates.append(
        Gate(
            gate="threshold",
            passed=over,
            value=total,
            limit=THRESHOLD,
            margin=margin,
            unit="tokens",
        )
    )
    if not over:
        return [
            *gates,
            *(
                Gate(gate=name)
                for name in ("span", "min_target", "model_call", "answer", "benefit")
            ),
        ]
    gates.append(Gate(gate="span", passed=True, value=3, limit=1, margin=2, unit="messages"))
    gates.append(
        Gate(
            gate="min_target", passed=True, value=15_780, limit=2_400, margin=13_380, unit="tokens"
        )
    )
    answered = outcome == "compressed" or None
    gates.append(
        Gate(gate="model_call", passed=answered, value=1, unit="attempts", basis="inferred")
    )
    gates.append(Gate(gate="answer", passed=answered, basis="inferred"))
    benefit = Gate(gate="benefit", passed=answered, basis="inferred")
    if answered:
        benefit = Gate(
            gate="benefit",
            passed=True,
            value=3_000,
            limit=total,
            margin=3_000 - total,
            unit="tokens",
        )
    return [*gates, benefit]
