"""Files of the project's own engine state what the original's leave to be inferred."""

from pathlib import Path

import pytest

from engine.debug.sinks import FileSink
from engine.model_errors import ModelCallError
from inspector.trace.opened import open_traces
from tests.conversations import conversation
from tests.scripted import Script, bench

BUSY = ModelCallError("overloaded", status=503)
ENDS: dict[str, tuple[list[str | Exception], str, str | None, int]] = {
    "compressed": (["S"], "compressed", None, 1),
    "authentication": ([ModelCallError("", status=401)], "gave_up", "authentication", 1),
    "bad request": ([ModelCallError("", status=400)], "gave_up", "api_request_error", 1),
    "empty": ([""], "gave_up", "empty_answer", 1),
    "no benefit": (["word " * 3000], "gave_up", "no_benefit", 1),
    "transient": ([BUSY] * 3, "gave_up", "transient_exhausted", 3),
}


@pytest.mark.parametrize("end", ENDS)
def test_how_an_attempt_ended_is_recorded(end: str, tmp_path: Path) -> None:
    answers, outcome, reason, calls = ENDS[end]
    made = bench(
        ("CurrentRoundCompressor", {"trigger_context_ratio": 0.5}),
        messages=conversation("u a:1500 a:1500"),
        model=Script(*answers),
        sink=FileSink(),
        folder=tmp_path,
    )
    made.window()
    [trace] = open_traces([str(tmp_path)]).traces
    decision = trace.decision(0)
    assert (decision.outcome, decision.reason, decision.model_calls) == (outcome, reason, calls)
    assert (decision.basis, decision.candidates) == ("recorded", [])
    assert decision.summarizers
    assert decision.tokens is not None
    assert decision.tokens.before == 1026
    assert decision.duration is not None
    assert decision.duration < 1
