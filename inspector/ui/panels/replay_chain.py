"""The settings at the left: the chain as cards in order, and the capacity."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.replay.fields import ProcessorCard
from inspector.ui import formats, theme
from inspector.ui.actions import Actions
from inspector.ui.models.replay_bench import FieldKey, ReplayBench
from inspector.ui.models.row_table import plain_tip
from inspector.ui.panels.replay_capacity import ReplayCapacityRow
from inspector.ui.panels.replay_field import ReplayFieldRow

_RADIUS = 6
_MARGIN = 10


class ReplayChainPanel(QWidget):
    """Header, cards, capacity, and what can be done with the case."""

    def __init__(self, bench: ReplayBench, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.edits = QLabel()
        self.cards: list[ChainCard] = []
        self.capacity = ReplayCapacityRow(bench)
        self._area = QScrollArea()
        self._cards = QVBoxLayout()
        self._cards.setSpacing(theme.GRID)
        self._build(actions)
        bench.state_changed.connect(self._make_cards)
        bench.settings_changed.connect(self._show_settings)

    def row(self, owner: str, name: str) -> ReplayFieldRow:
        """Return the row of a setting."""
        rows = (row for card in self.cards for row in card.rows)
        return next(row for row in rows if row.key == FieldKey(owner, name))

    def _build(self, actions: Actions) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(_MARGIN, 0, _MARGIN, theme.GRID)
        column.setSpacing(theme.GRID)
        column.addLayout(self._cards)
        column.addWidget(_caption("CAPACITY"))
        column.addWidget(self.capacity)
        column.addStretch(1)
        area = self._area
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head = QHBoxLayout()
        head.setContentsMargins(_MARGIN + 2, 6, _MARGIN, 6)
        head.addWidget(_caption("PROCESSOR CHAIN"))
        head.addStretch(1)
        head.setSpacing(theme.GRID)
        head.addWidget(self.edits)
        head.addWidget(_button(actions["reset_settings"], "Reset all"))
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.setContentsMargins(_MARGIN, theme.GRID, _MARGIN, theme.GRID)
        for name in ("export_case", "export_report"):
            foot.addWidget(_button(actions[name]), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(area, 1)
        layout.addLayout(foot)

    def _make_cards(self) -> None:
        if self._bench.state != "ready":
            return
        for card in self.cards:
            self._cards.removeWidget(card)
            card.deleteLater()
        self.cards = [ChainCard(self._bench, card) for card in self._bench.base_cards]
        for card in self.cards:
            self._cards.addWidget(card)
        widest = max((card.minimumSizeHint().width() for card in self.cards), default=0)
        bar = self._area.verticalScrollBar().sizeHint().width()
        self._area.setMinimumWidth(widest + 2 * _MARGIN + bar)

    def _show_settings(self) -> None:
        edits = self._bench.edits
        origin = self._bench.told_provenance("recorded")
        self.edits.setText(f"{edits} edited" if edits else f"as {origin}")
        role = self.palette().ColorRole
        self.edits.setForegroundRole(role.Accent if edits else role.PlaceholderText)
        for card, settings in zip(self.cards, self._bench.cards, strict=False):
            card.show_settings(settings)
        self.capacity.show_capacity()


class ChainCard(QWidget):
    """A processor: its name, whether it acts, its settings."""

    def __init__(
        self, bench: ReplayBench, card: ProcessorCard, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.rows = [ReplayFieldRow(bench, field) for field in card.fields]
        self.state = QLabel()
        self.state.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        name = QLabel(formats.one_line(card.name))
        name.setFont(theme.emphasised(theme.interface_font()))
        name.setToolTip(plain_tip(card.about))
        head = QHBoxLayout()
        head.setContentsMargins(0, 4, 0, 4)
        head.addWidget(name)
        head.addStretch(1)
        head.addWidget(self.state)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 0, _MARGIN, theme.GRID)
        layout.setSpacing(3)
        layout.addLayout(head)
        layout.addSpacing(3)
        for row in self.rows:
            layout.addWidget(row)
        self._head = name

    def show_settings(self, card: ProcessorCard) -> None:
        """Show the settings as they stand."""
        inert = any(field.name == "model" and field.value is None for field in card.fields)
        self.state.setText("inert · no model" if inert else "on")
        for row, field in zip(self.rows, card.fields, strict=True):
            row.show_field(field)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = theme.colours(self.palette())
        painter.setPen(QPen(QColor(chosen.line), 1))
        painter.setBrush(QColor(chosen.raised))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        below = self._head.geometry().bottom() + 5.5
        painter.drawLine(QPointF(frame.left(), below), QPointF(frame.right(), below))


def _caption(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(theme.emphasised(theme.small_font()))
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    return label


def _button(action: QAction, text: str = "") -> QPushButton:
    """Return a push button that does an action and is enabled as it is."""
    button = QPushButton(text or action.text().replace("&", ""))
    button.setToolTip(action.toolTip())
    button.setEnabled(action.isEnabled())
    button.clicked.connect(action.trigger)
    action.enabledChanged.connect(button.setEnabled)
    return button
