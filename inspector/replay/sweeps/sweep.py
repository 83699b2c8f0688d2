"""A sweep: cases replayed with every combination of a grid, and which combinations are best.

Rows come in whatever order the workers finish; the result has them in the order of cases and grid.
What is done stays done: a cancelled sweep keeps its rows, and one that is handed an earlier result
runs only what that does not hold. A row is known by its settings and a digest over all else that it
depends on, so rows of an edited case, of other prices or of another version are run again.

A combination that cannot be run is listed with its reason. When a worker dies, the jobs that were
out are tried again one by one, so only the one that kills its worker fails.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from engine.workspace.files import replace_file
from inspector.replay.cases.case import CaseError
from inspector.replay.sweeps.grid import Combination, Grid
from inspector.replay.sweeps.job import Answer, SweptCase
from inspector.replay.sweeps.pareto import Point, pareto_front
from inspector.replay.sweeps.workers import Workers
from inspector.sources.regular_file import read_regular

_LOOK: Final = 0.1
"""Seconds after which a wait looks whether it was cancelled."""


class _Tried(BaseModel):
    model_config = ConfigDict(frozen=True)

    settings: dict[str, Any]
    """Values by name, as far as the grid varies them."""
    case: str
    digest: str = ""
    """Of all else that the row depends on."""

    @property
    def key(self) -> tuple[str, str]:
        """What the row is known by."""
        return self.digest, json.dumps(self.settings, sort_keys=True)


class SweepRow(_Tried):
    """The figures of one combination; None: not known."""

    tokens_sent: int | None = None
    peak_tokens: int | None = None
    compressions: int | None = None
    model_calls: int | None = None
    summary_tokens: int | None = None
    cache_hit_tokens: int | None = None
    summary_cost: float | None = None
    net_cost: float | None = None
    retention: float | None = None
    overflow_steps: int | None = None


SWEEP_FIGURES: Final = tuple(
    name for name in SweepRow.model_fields if name not in _Tried.model_fields
)
"""Names of a row's figures."""


class FailedRow(_Tried):
    """A combination that has no figures."""

    reason: str


class SweepResult(BaseModel):
    """All rows so far."""

    model_config = ConfigDict(frozen=True)

    grid: dict[str, list[Any]]
    rows: list[SweepRow]
    pareto: list[int]
    """Rows of which none of the same case costs less and retains more."""
    pareto_size: list[int] = Field(default_factory=list)
    """Rows of which none of the same case has a lower peak and sends fewer tokens."""
    failed: list[FailedRow]
    left: int = 0
    """Combinations that were not run yet."""
    currency: str = ""
    """Of `net_cost`."""
    seconds: float = 0.0
    """How long the last run took."""
    rows_per_second: float | None = None
    """Of the last run; None when it ran nothing."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is."""

    done: int
    """Combinations with figures or a reason, those of earlier runs included."""
    total: int
    fresh: int
    """Those of this run."""
    seconds: float
    """Since this run began."""

    @property
    def seconds_left(self) -> float | None:
        """Time to go at the pace so far; None before the first row."""
        return (self.total - self.done) * self.seconds / self.fresh if self.fresh else None


class _Job(NamedTuple):
    position: int
    case: int
    edits: Combination
    alone: bool = False
    """No other job is out with it, so it is to blame if its worker dies."""


class Sweep:
    """Cases and a grid, and what has come of them.

    Attributes:
        cases: the cases.
        grid: the grid.
    """

    def __init__(
        self,
        cases: Sequence[SweptCase],
        grid: Grid | None = None,
        sample: int | None = None,
        known: SweepResult | None = None,
    ) -> None:
        """Lay out the jobs.

        Args:
            cases: what to run.
            grid: settings to run it with; as it is when None.
            sample: how many of the grid's combinations to run; all when None.
            known: an earlier result, whose rows need not run again.

        Raises:
            CaseError: the grid is too large.
        """
        self.cases = tuple(cases)
        self.grid = grid or Grid()
        chosen = self.grid.chosen(sample)
        cases_and_edits = ((i, edits) for i in range(len(self.cases)) for edits in chosen)
        self._jobs = [_Job(at, *job) for at, job in enumerate(cases_and_edits)]
        self._rows: dict[int, SweepRow] = {}
        self._failed: dict[int, FailedRow] = {}
        self._seconds = 0.0
        self._fresh = 0
        self._take_over(known.rows if known is not None else ())

    def run(
        self, workers: Workers, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[Progress]:
        """Run what is left; yield how far it is at the start and after each few rows.

        Args:
            workers: who runs the jobs; they were given the same cases.
            cancelled: asked several times a second; a true answer ends the run.
        """
        waiting = deque(job for job in self._jobs if job.position not in self._rows)
        suspects: deque[_Job] = deque()
        out: dict[Future[Answer], _Job] = {}
        self._failed.clear()
        started, self._fresh = time.monotonic(), 0
        while not cancelled():
            self._seconds = time.monotonic() - started
            yield self._progress()
            if not (waiting or suspects or out):
                return
            for job in _next_jobs(waiting, suspects, out.values(), workers.slots):
                out[workers.submit(job.case, job.edits)] = job
            for future in wait(out, _LOOK, FIRST_COMPLETED).done:
                job = out.pop(future)
                if not self._take(job, future):
                    suspects.append(job)

    def result(self) -> SweepResult:
        """Return what there is so far."""
        rows = [self._rows[at] for at in sorted(self._rows)]
        seconds = self._seconds
        return SweepResult(
            grid=self.grid.to_json(),
            rows=rows,
            pareto=cheapest(rows),
            pareto_size=smallest(rows),
            failed=[self._failed[at] for at in sorted(self._failed)],
            left=len(self._jobs) - len(self._rows) - len(self._failed),
            currency=self.cases[0].prices.currency if self.cases else "",
            seconds=round(seconds, 3),
            rows_per_second=round(self._fresh / seconds, 3) if self._fresh and seconds else None,
        )

    def _take_over(self, rows: Sequence[SweepRow]) -> None:
        """Use the rows of an earlier run that are still true."""
        known = {row.key: row for row in rows}
        for job in self._jobs if known else ():
            row = known.get(self._tried(job).key)
            if row is not None:
                self._rows[job.position] = row.model_copy(update=vars(self._tried(job)))

    def _take(self, job: _Job, future: Future[Answer]) -> bool:
        """Enter what came of a job; return whether that is settled."""
        try:
            answer = future.result()
        except BrokenExecutor:
            if not job.alone:
                return False
            answer = Answer(reason="its worker process died; perhaps memory ran out")
        except (Exception, CancelledError) as error:  # a cluster's own troubles
            answer = Answer(reason=f"{type(error).__name__}: {error}")
        tried = vars(self._tried(job))
        if answer.reason is not None:
            self._failed[job.position] = FailedRow(**tried, reason=answer.reason)
        elif not answer.cancelled:
            self._rows[job.position] = SweepRow.model_validate({**tried, **answer.figures})
        self._fresh += not answer.cancelled
        return True

    def _tried(self, job: _Job) -> _Tried:
        swept = self.cases[job.case]
        settings = {f"{edit.owner}.{edit.field}": edit.value for edit in job.edits}
        return _Tried(settings=settings, case=swept.name, digest=swept.digest)

    def _progress(self) -> Progress:
        done = len(self._rows) + len(self._failed)
        return Progress(done, len(self._jobs), self._fresh, self._seconds)


def _next_jobs(
    waiting: deque[_Job], suspects: deque[_Job], out: Collection[_Job], slots: int
) -> Iterator[_Job]:
    """Yield the jobs to send now: as many as there are slots, suspects one by one."""
    if any(job.alone for job in out):
        return
    if suspects:
        if not out:
            yield suspects.popleft()._replace(alone=True)
        return
    for _ in range(min(slots - len(out), len(waiting))):
        yield waiting.popleft()


def cheapest(rows: Sequence[SweepRow]) -> list[int]:
    """Return the rows of which none of the same case costs less and retains more."""
    return best_rows(rows, lambda row: _pair(row.net_cost, _lost(row.retention)))


def smallest(rows: Sequence[SweepRow]) -> list[int]:
    """Return the rows of which none of the same case has a lower peak and sends fewer tokens."""
    return best_rows(rows, lambda row: _pair(row.peak_tokens, row.tokens_sent))


def best_rows(rows: Sequence[SweepRow], figures: Callable[[SweepRow], Point | None]) -> list[int]:
    """Return the positions of the rows on the Pareto front of their case.

    Args:
        rows: rows of any cases.
        figures: two figures of a row, less of each being better; None leaves the row out.
    """
    points: defaultdict[str, list[tuple[int, Point]]] = defaultdict(list)
    for at, row in enumerate(rows):
        point = figures(row)
        if point is not None:
            points[row.case].append((at, point))
    return sorted(
        found[i][0] for found in points.values() for i in pareto_front([p for _, p in found])
    )


def _pair(a: float | None, b: float | None) -> Point | None:
    return None if a is None or b is None else (a, b)


def _lost(retention: float | None) -> float | None:
    return None if retention is None else 1 - retention


def load_sweep(path: Path) -> SweepResult | None:
    """Read an earlier result; None where there is no such file.

    Raises:
        CaseError: the file is something else, or cannot be read.
    """
    try:
        return SweepResult.model_validate(json.loads(read_regular(path)))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CaseError(
            f"{path}: exists and is no result of a sweep, so nothing was run: name another file"
        ) from error


def save_sweep(result: SweepResult, path: Path) -> None:
    """Write a result; the file is whole at any moment.

    Raises:
        CaseError: it cannot be written.
    """
    text = json.dumps(result.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    try:
        replace_file(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CaseError(f"{path}: cannot be written: {error.strerror}") from error
