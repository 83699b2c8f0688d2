"""What the panels of charts have in common: a header, and a chart that comes after the first paint.

The library that charts are drawn with takes half a second to load, so it is imported only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.trace.context_trace import NO_NUMBER, ContextTrace
from inspector.ui import formats, theme
from inspector.ui.widgets.cell_line import CellLine

if TYPE_CHECKING:
    from inspector.ui.charts.step_plot import StepPlot

Chart = TypeVar("Chart", bound="StepPlot")


class ChartPanel(QWidget, Generic[Chart]):
    """A title and what is read off under the pointer, over the chart.

    A subclass makes and fills its chart, and tells what is to be read off at a step.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart: Chart | None = None
        """None before `load_chart`."""
        self.title = CellLine()
        self.read_out = CellLine(right=True)
        head = QHBoxLayout()
        head.setContentsMargins(theme.GRID, theme.GRID // 2, 0, 0)
        head.setSpacing(2 * theme.GRID)
        head.addWidget(self.title)
        head.addWidget(self.read_out, 1)
        self.content = QVBoxLayout(self)
        self.content.setContentsMargins(0, 0, theme.GRID, 0)
        self.content.setSpacing(0)
        self.content.addLayout(head)

    def load_chart(self) -> Chart:
        """Make the chart; call it after the first paint."""
        chart = self.chart = self.make_chart()
        self.content.addWidget(chart, 1)
        chart.step_hovered.connect(self.tell_step)
        self.fill_chart()
        return chart

    def zoom_out(self) -> None:
        """Bring all steps into sight."""
        if self.chart is not None:
            self.chart.zoom_out()

    def make_chart(self) -> Chart:
        """Import and make the chart, connected to what it moves."""
        raise NotImplementedError

    def fill_chart(self) -> None:
        """Draw what there is to draw."""
        raise NotImplementedError

    def tell_step(self, step: int) -> None:
        """Show what there is at the step under the pointer; 0 beside the chart."""
        raise NotImplementedError


def tokens_at(trace: ContextTrace, step: int) -> str | None:
    """Tell a step's window as it was found and as it was sent; None where there is no such step."""
    at = int(np.searchsorted(trace.steps.number, step))
    if at >= len(trace.steps.number) or trace.steps.number[at] != step:
        return None
    estimated = formats.is_estimate(trace.method)
    total, sent = int(trace.steps.total[at]), int(trace.steps.sent[at])
    tokens = formats.UNKNOWN if total == NO_NUMBER else formats.number(total, estimated)
    return tokens if sent in (NO_NUMBER, total) else f"{tokens} → {formats.number(sent, estimated)}"
