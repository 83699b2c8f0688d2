"""The chart of the replay; its header tells which curve is which, and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from inspector.trace.context_trace import ContextTrace
from inspector.ui import formats
from inspector.ui.models.marks import OUTCOMES, outcome_mark
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.running.progress import ReplayProgress
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.chart import ChartPanel, tokens_at
from inspector.ui.widgets.thin_progress import ThinProgress

if TYPE_CHECKING:
    from inspector.ui.charts.replay_chart import ReplayChart

_PATIENCE = 150
"""Milliseconds after which a replay shows how far it is; most are done before."""


class ReplayChartPanel(ChartPanel["ReplayChart"]):
    """Curves, limits and markers of both runs."""

    def __init__(
        self, bench: ReplayBench, selection: AlignedSelection, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._selection = selection
        self._picked = ""
        """The processor whose threshold the keys move."""
        self.progress = ThinProgress("Progress of the replay")
        self._patience = QTimer(self)
        self._build()
        bench.state_changed.connect(self._show_state)
        bench.baseline_changed.connect(self._show_state)
        bench.settings_changed.connect(self._show_settings)
        bench.result_changed.connect(self._show_result)
        bench.progressed.connect(self._show_progress)
        selection.place_changed.connect(self._show_place)

    def make_chart(self) -> ReplayChart:
        from inspector.ui.charts.replay_chart import ReplayChart

        chart = ReplayChart()
        chart.step_chosen.connect(self._selection.select_step)
        chart.threshold_dragged.connect(self._drag)
        chart.threshold_picked.connect(self._pick)
        chart.threshold_pushed.connect(self.push_threshold)
        return chart

    def fill_chart(self) -> None:
        self._show_state()
        self._show_result()

    def tell_step(self, step: int) -> None:
        baseline, result = self._bench.baseline, self._bench.result
        if not step or baseline is None or result is None:
            self._tell()
            return
        cells = [Cell(f"step {step:,}", "muted")]
        cells += _read_out(baseline, step, self._bench.baseline_name)
        cells += _read_out(result.trace, step, "candidate")
        self.read_out.show_cells(cells)

    def pick_threshold(self) -> None:
        """Take hold of the next threshold line, for keys to move it."""
        names = list(self._bench.settings.thresholds())
        if names:
            at = names.index(self._picked) + 1 if self._picked in names else 0
            self._pick(names[at % len(names)])

    def push_threshold(self, hundredths: int) -> None:
        """Move the picked threshold by so many hundredths of the capacity."""
        threshold = self._bench.settings.thresholds().get(self._picked)
        if threshold is None:
            self.pick_threshold()
        else:
            self._bench.settings.move(threshold.key, threshold.position + hundredths)

    def _build(self) -> None:
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(self._show_bar)
        self.content.addWidget(self.progress)

    def _show_state(self) -> None:
        if self.chart is not None:
            self.chart.show_baseline(self._bench.baseline)
            self._show_settings()

    def _show_settings(self) -> None:
        self._tell()
        if self.chart is not None and self._bench.state == "ready":
            bench = self._bench
            settings = bench.settings
            self.chart.show_settings(settings.thresholds(), settings.capacity, self._picked)

    def _pick(self, owner: str) -> None:
        self._picked = owner
        self._show_settings()

    def _drag(self, owner: str, tokens: float) -> None:
        threshold = self._bench.settings.thresholds()[owner]
        self._bench.settings.move(threshold.key, threshold.position_at(tokens))

    def _show_result(self) -> None:
        result = self._bench.result
        if self.chart is not None and result is not None:
            divergence = result.comparison.first_divergence
            self.chart.show_candidate(result.trace, divergence.step if divergence else None)
        self._tell()

    def _show_place(self) -> None:
        if self.chart is not None:
            place = self._selection.place
            self.chart.show_step(place.step if place is not None else None)

    def _show_progress(self) -> None:
        progress = self._bench.progress
        if progress is None:
            self._patience.stop()
            self.progress.hide()
            if self.chart is not None and self._bench.stale:
                self._show_result()
        elif progress.curve is None:
            self._patience.start()
        elif self._bench.state == "ready" and self.chart is not None:
            self.progress.setRange(0, progress.steps)
            self.progress.setValue(progress.step)
            self.chart.show_growing(progress.curve)
        self._tell()

    def _show_bar(self) -> None:
        self.progress.setVisible(self._bench.progress is not None)

    def _tell(self) -> None:
        self.title.show_cells(self._told_curves())
        self.read_out.show_cells(self._told_result())

    def _told_curves(self) -> list[Cell]:
        bench = self._bench
        cells = [
            Cell("Tokens in the window", heading=True),
            Cell(f"- - {bench.baseline_name}", "muted"),
        ]
        if bench.failure:
            told = formats.one_line(bench.failure)
            cells.append(Cell(told, "failure", tip=told))
        elif (progress := bench.progress) is not None:
            cells.append(Cell("— candidate", "accent", aside=f" · {self._told(progress)}"))
        elif bench.stale:
            cells.append(Cell("— last candidate", "accent", aside=" · not of these settings"))
        elif bench.result is not None and bench.settings.edits:
            took = formats.duration(bench.result.trace.report.seconds)
            cells.append(Cell("— candidate", "accent", aside=f" · replayed in {took}"))
        elif bench.result is not None:
            cells.append(Cell("— candidate", "accent", aside=" · nothing edited"))
        return cells

    def _told(self, progress: ReplayProgress) -> str:
        """Return what is being done, and how far it is."""
        where = f", step {progress.step:,} of {progress.steps:,}" if progress.steps else ""
        if progress.asked:
            model = self._bench.settings.setup.summary_model
            return f"asking {model}, call {progress.asked:,}{where}"
        return f"{'waiting' if progress.held else 'replaying'}{where}"

    def _told_result(self) -> list[Cell]:
        result = self._bench.result
        if result is None:
            return []
        cells = []
        summaries = result.trace.report.summaries
        if summaries:
            in_order = sorted(summaries.items(), key=lambda pair: pair[0] != "recorded")
            told = " · ".join(f"{name} {count:,}" for name, count in in_order)
            cells.append(Cell(f"summaries: {told}", "muted"))
        divergence = result.comparison.first_divergence
        if divergence is not None:
            cells.append(Cell(f"first divergence: step {divergence.step:,}", "accent"))
        else:
            cells.append(Cell("no divergence", "muted"))
        return cells


def _read_out(trace: ContextTrace, step: int, name: str) -> list[Cell]:
    """Return the window of one run at a step, and what was done to it."""
    cells = [Cell(name, "muted"), Cell(tokens_at(trace, step) or formats.UNKNOWN)]
    columns = trace.decisions
    for row in np.flatnonzero(columns.step == step):
        outcome = columns.outcomes[columns.outcome[row]]
        if outcome in OUTCOMES and OUTCOMES[outcome].fired:
            mark = outcome_mark(outcome, bool(columns.inferred[row]))
            cells.append(Cell("", mark=mark, tip=mark.told))
    return cells
