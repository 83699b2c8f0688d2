"""The Gates tab: why it ended so, and each gate's measured value against its limit."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui import theme
from inspector.ui.models.detail.explanation import explain
from inspector.ui.models.detail.fact_list import FactListModel
from inspector.ui.models.detail.gate_list import GATE, SCALE, GateListModel
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.mark_painter import SIZE
from inspector.ui.widgets.row_view import PADDING, RowView

_LONGEST = 160
"""Pixels of a scale, where there is room for more."""


class GatesTab(DetailTab[Detail]):
    """A sentence, the gates, and the facts that belong to no gate.

    Signals:
        switches_wanted: the user asks which debug switches were off.
    """

    switches_wanted = Signal()

    title = "Gates"
    needs_detail = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.sentence.setAccessibleName("Why")
        self.switches = QPushButton("Which switches were off?")
        self.switches.clicked.connect(self.switches_wanted)
        self.gates = GateListModel(self)
        self.facts = FactListModel(self)
        self.view = _GateView(self.gates)
        self.facts_view = RowView(self.facts, "Facts about the decision", titled=False)
        head = QHBoxLayout()
        head.setContentsMargins(theme.GRID, theme.GRID, theme.GRID, theme.GRID)
        head.addWidget(self.sentence, 1)
        head.addWidget(self.switches)
        self.content.addLayout(head)
        self.content.addWidget(self.view, 4)
        self.content.addSpacing(theme.GRID)
        self.content.addWidget(self.facts_view, 1)
        self.facts_view.setMinimumHeight(2 * theme.ROW)

    def holds(self, decision: Decision, detail: Detail) -> bool:
        return True

    def show_decision(self, decision: Decision) -> None:
        self.sentence.setText(explain(decision))
        self.switches.setVisible("debug_off" in decision.candidates)
        self.gates.show_decision(decision)
        self.facts.show_decision(decision)
        self.view.setVisible(bool(decision.gates))
        header = self.view.horizontalHeader().maximumHeight()
        self.view.setMinimumHeight(header + theme.ROW * min(len(decision.gates), 4))
        self.view.setMaximumHeight(header + theme.ROW * len(decision.gates))
        self.show_content()


class _GateView(RowView):
    """Ties the verdicts into a path and paints the scale of value against limit."""

    def __init__(self, model: GateListModel) -> None:
        super().__init__(model, "Gates")
        self._gates = model

    def paint_cell(
        self, painter: QPainter, rect: QRectF, row: int, at: int, chosen: theme.Colours
    ) -> None:
        super().paint_cell(painter, rect, row, at, chosen)
        if at == GATE:
            _paint_path(painter, self._gates, row, rect, chosen)
        elif at == SCALE and self._gates.reached(row):
            _paint_scale(painter, self._gates, row, rect, chosen)


def _paint_path(
    painter: QPainter, model: GateListModel, row: int, rect: QRectF, chosen: theme.Colours
) -> None:
    x = rect.left() + PADDING + SIZE / 2
    for there, y1, y2 in (
        (row, rect.top(), rect.center().y() - 8),
        (row + 1, rect.center().y() + 8, rect.bottom()),
    ):
        if (there == row and row == 0) or there >= model.row_count():
            continue
        style = Qt.PenStyle.SolidLine if model.reached(there) else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(chosen.faint), 1, style))
        painter.drawLine(QPointF(x, y1), QPointF(x, y2))


def _paint_scale(
    painter: QPainter, model: GateListModel, row: int, rect: QRectF, chosen: theme.Colours
) -> None:
    fill = model.fill(row)
    if fill is None:
        return
    value, limit = fill
    width = min(rect.width() - 2 * PADDING, _LONGEST)
    bar = QRectF(rect.left() + PADDING, rect.center().y() - 3, width, 6)
    painter.fillRect(bar, QColor(chosen.raised))
    done = QRectF(bar.left(), bar.top(), bar.width() * value, bar.height())
    painter.fillRect(done, chosen.tone(model.verdict(row).tone))
    x = round(bar.left() + bar.width() * limit)
    painter.fillRect(QRectF(x, bar.top() - 3, 1, bar.height() + 6), QColor(chosen.text))
