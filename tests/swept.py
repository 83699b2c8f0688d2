"""A small case whose settings matter, for sweeps, and workers without processes."""

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from typing import Any, Self

from inspector.insight.prices import load_prices
from inspector.replay.cases.case import Case
from inspector.replay.sweeps.grid import Combination, Grid, parse_axis
from inspector.replay.sweeps.job import Answer, SweptCase, run_job

RATIO = "RoundLevelCompressor.trigger_context_ratio"
KEEP = "RoundLevelCompressor.keep_recent_messages"


class Here:
    """Runs jobs at once in this process; those of some settings find their worker dead."""

    def __init__(self, cases: Sequence[SweptCase], deadly: Any = None, slots: int = 3) -> None:
        self.slots = slots
        self.sent: list[tuple[int, Combination]] = []
        self._cases = cases
        self._deadly = deadly
        self._out: list[Future[Answer]] = []

    def submit(self, case: int, edits: Combination) -> Future[Answer]:
        self.sent.append((case, edits))
        future: Future[Answer] = Future()
        if self._deadly is not None and any(edit.value == self._deadly for edit in edits):
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            future.set_result(run_job(self._cases[case], edits))
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        pass


def small_case(**fields: Any) -> Case:
    """Return a case of five rounds that its compressor keeps below 1,000 tokens."""
    messages = []
    for at in range(5):
        messages.append(
            {"role": "user", "content": f"Never rename column c{at}. Read /srv/{at}.py"}
        )
        messages.append({"role": "assistant", "content": f"word{at} " * 150})
    return Case.model_validate(
        {
            "id": "small",
            "messages": messages,
            "processors": [
                ["RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 1}]
            ],
            "context_window_tokens": 1000,
            **fields,
        }
    )


def swept(name: str = "small", **fields: Any) -> SweptCase:
    """Return the case, ready to be swept."""
    return SweptCase(name, small_case(**fields), load_prices())


def grid(*axes: str) -> Grid:
    """Return the grid of `NAME=VALUES` texts."""
    return Grid([parse_axis(text) for text in axes])
