"""The timeline with its header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace, DecisionColumns
from inspector.trace.evidence.recalls import Recall
from inspector.ui import formats
from inspector.ui.charts.timeline_data import TimelineData, timeline_data
from inspector.ui.models.follow import Follow
from inspector.ui.models.marks import RECALL_MARK, outcome_mark, outcome_name
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import Filter, Selection
from inspector.ui.panels.chart import ChartPanel, tokens_at
from inspector.ui.tasks.worker import Worker
from inspector.ui.widgets.note import Note

if TYPE_CHECKING:
    from inspector.ui.charts.timeline import Timeline

_KEY = "timeline"
_GROWING = 100
"""Milliseconds for which growth is collected before it is drawn."""
_MOST = 8
"""Decisions, and recalls, of a step that are told."""
_LONGEST = 40
"""Characters of what was recalled."""
_RECALL = "the model asked for what had been taken out of its window"


class TimelinePanel(ChartPanel["Timeline"]):
    """The chart, subscribed to the selection in both directions."""

    def __init__(
        self, selection: Selection, follow: Follow, worker: Worker, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._follow = follow
        self._worker = worker
        self._laying_out = False
        """What came is being found out, on the worker's thread."""
        self._growing = QTimer(self)
        self._growing.setSingleShot(True)
        self._growing.setInterval(_GROWING)
        self._growing.timeout.connect(self._grow)
        self._none = Note()
        self.content.addWidget(self._none, 1)
        self.explain("There is nothing to draw over steps.")
        self._none.hide()
        selection.trace_changed.connect(self._show_trace)
        selection.grew.connect(self._growing.start)
        selection.filter_changed.connect(self._show_filter)
        selection.row_changed.connect(self._show_row)

    def make_chart(self) -> Timeline:
        from inspector.ui.charts.timeline import Timeline

        chart = Timeline()
        chart.step_chosen.connect(self._selection.select_step)
        chart.stretch_chosen.connect(self._choose_stretch)
        chart.stretch_cleared.connect(self._clear_stretch)
        return chart

    def fill_chart(self) -> None:
        self._show_trace()
        self._show_filter()
        self._show_row()

    def tell_step(self, step: int) -> None:
        trace = self._selection.trace
        self.read_out.show_cells(_read_out(trace, step) if trace is not None and step else ())

    def explain(self, why: str, actions: Sequence[QAction] = ()) -> None:
        """Say why there are no steps, where there are none."""
        self._none.say("No window request on record", why, actions)

    def zoom_to_filter(self) -> None:
        """Bring the marked steps into sight."""
        steps = self._selection.filter.steps
        if self.chart is not None and steps is not None:
            self.chart.zoom_to(*steps)

    def _show_trace(self) -> None:
        trace = self._selection.trace
        self.title.show_cells(_title(trace))
        self.read_out.show_cells(())
        empty = trace is not None and not len(trace.steps.number)
        self._none.setVisible(empty)
        self._worker.cancel(_KEY)
        self._laying_out = False
        if self.chart is not None:
            some = None if trace is None or empty else timeline_data(trace, recalls=True)
            self.chart.setVisible(not empty)
            self.chart.show_data(some)

    def _grow(self) -> None:
        """Draw what came as soon as what came before is drawn."""
        trace = self._selection.trace
        if self.chart is None or trace is None or not len(trace.steps.number):
            return
        if self._laying_out:
            self._growing.start()
            return
        self._laying_out = True
        work = partial(timeline_data, trace, recalls=True)
        self._worker.submit(_KEY, lambda _: work(), self._draw, self._fail)

    def _draw(self, data: TimelineData) -> None:
        """Draw more, out of sight unless all was in sight or the tail is followed."""
        assert self.chart is not None
        self._laying_out = False
        self.title.show_cells(_title(self._selection.trace))
        self._none.hide()
        self.chart.show()
        self.chart.grow(data, self._follow.moves)
        self._show_filter()
        self._show_row()

    def _fail(self, error: Exception) -> None:
        self._laying_out = False
        raise error

    def _show_filter(self) -> None:
        if self.chart is not None:
            self.chart.show_stretch(self._selection.filter.steps)

    def _show_row(self) -> None:
        if self.chart is not None:
            self.chart.show_step(_step(self._selection.trace, self._selection.row))

    def _choose_stretch(self, first: int, last: int) -> None:
        self._selection.set_filter(Filter((first, last), self._selection.filter.outcomes))

    def _clear_stretch(self) -> None:
        self._selection.set_filter(Filter(None, self._selection.filter.outcomes))


def _title(trace: ContextTrace | None) -> list[Cell]:
    cells = [Cell("Tokens in the window", heading=True)]
    if trace is not None and len(trace.steps.number):
        steps = formats.plural(len(trace.steps.number), "step")
        cells.append(Cell(f"{formats.METHODS[trace.method]} · {steps}", "muted"))
        if trace.recalls:
            told = formats.plural(len(trace.recalls), "recall")
            cells.append(Cell(told, "muted", RECALL_MARK, tip=f"{told}: {_RECALL}"))
    return cells


def _step(trace: ContextTrace | None, row: int | None) -> int | None:
    if trace is None or row is None:
        return None
    step = int(trace.decisions.step[row])
    return step if step > 0 else None


def _read_out(trace: ContextTrace, step: int) -> list[Cell]:
    """Return a step's tokens before and after, what was decided there, and what was recalled."""
    tokens = tokens_at(trace, step)
    if tokens is None:
        return []
    told = [Cell(f"step {formats.number(step)}", "muted"), Cell(tokens)]
    return [*told, *_decided(trace.decisions, step), *_recalled(trace.recalls, step)]


def _decided(columns: DecisionColumns, step: int) -> Iterator[Cell]:
    """Yield each decision of a step that was more than a look."""
    for row in np.flatnonzero(columns.step == step)[:_MOST]:
        outcome = columns.outcomes[columns.outcome[row]]
        reason = columns.reasons[columns.reason[row]] if columns.reason[row] >= 0 else ""
        if reason != "below_threshold":
            mark = outcome_mark(outcome, bool(columns.inferred[row]))
            name = columns.processors[columns.processor[row]].removesuffix("Compressor")
            yield Cell(f"{name} {outcome_name(outcome)}", "muted", mark)


def _recalled(recalls: Iterable[Recall], step: int) -> Iterator[Cell]:
    for recall in islice((each for each in recalls if each.step == step), _MOST):
        call = recall.call
        wanted = call.handle or call.query or call.memory_id or "the archives"
        gone = ", which is gone" if recall.resolved is False else ""
        yield Cell(f"recalled {formats.one_line(wanted, _LONGEST)}{gone}", "muted", RECALL_MARK)
