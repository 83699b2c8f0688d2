"""A processor of the chain as a card: its name, whether it acts, its settings.

The head takes hold of the card: by the mouse, or with the keys of the list of keys while the card
has the focus.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.replay.settings.fields import ProcessorCard
from inspector.ui import formats, theme
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.settings.silence import idle, inert
from inspector.ui.models.row_table import Cell, plain_tip
from inspector.ui.panels.replay.chain.field import ReplayFieldRow
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.fields.fault_label import FaultLabel

MARGIN = 10
_RADIUS = 6
_FAR = 6
"""Pixels from which on a press on the head is a drag."""


class ChainCard(QWidget):
    """One card.

    Signals:
        moved: it is wanted so many places further down.
        dragged: it is held over a height of its parent, in pixels.
        dropped: it was let go there.
        switched: it is to be on, or not.
        removed: it is to go.
    """

    moved = Signal(int)
    dragged = Signal(int)
    dropped = Signal(int)
    switched = Signal(bool)
    removed = Signal()

    def __init__(
        self, bench: ReplayBench, card: ProcessorCard, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.name = card.name
        self._bench = bench
        self._card = card
        self._pressed: float | None = None
        self._dragging = False
        self.rows = [ReplayFieldRow(bench.settings, field) for field in card.fields]
        self.state = CellLine(right=True)
        self.on = QCheckBox()
        self.error = FaultLabel()
        self._head = QWidget()
        self._body = QWidget()
        self._build()
        self._head.installEventFilter(self)
        self.on.clicked.connect(self.switched)

    def show_settings(self, card: ProcessorCard) -> None:
        """Show the settings as they stand."""
        self._card = card
        for row, field in zip(self.rows, card.fields, strict=True):
            row.show_field(field)
        fault = self._bench.settings.errors.get(FieldKey(self.name, ""), "")
        self.error.tell(fault)

    def show_state(self, on: bool) -> None:
        """Show whether the processor acts, and if not, why."""
        self.on.setChecked(on)
        self._body.setVisible(on)
        bench, case = self._bench, self._bench.settings.case
        silence = inert(self._card, case) if on and case is not None else None
        if silence is None and on and bench.result is not None and not bench.stale:
            silence = idle(self._card, bench.result.trace)
        self.state.show_cells([Cell(silence.told, "muted")] if silence else ())
        self.state.setToolTip(plain_tip(silence.reason) if silence else "")
        self.setAccessibleDescription(silence.reason if silence else "")

    def _build(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.name)
        name = QLabel(formats.one_line(self.name))
        name.setFont(theme.emphasised(theme.interface_font()))
        self._head.setToolTip(plain_tip(f"{self._card.about}\nDrag to put it elsewhere."))
        self._head.setCursor(Qt.CursorShape.OpenHandCursor)
        self.on.setAccessibleName(f"{self.name} is on")
        self.on.setToolTip("Switch the processor off, or on")
        self.on.setCursor(Qt.CursorShape.ArrowCursor)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(MARGIN, 4, 4, 4)
        head.setSpacing(theme.GRID)
        head.addWidget(name)
        head.addWidget(self.state, 1)
        head.addWidget(self.on)
        head.addWidget(self._menu_button())
        body = QVBoxLayout(self._body)
        body.setContentsMargins(MARGIN, 5, MARGIN, theme.GRID)
        body.setSpacing(3)
        for row in self.rows:
            body.addWidget(row)
        body.addWidget(self.error)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._body)

    def _menu_button(self) -> QToolButton:
        menu = QMenu(self)
        menu.addAction("Move up\tCtrl+Up").triggered.connect(lambda: self.moved.emit(-1))
        menu.addAction("Move down\tCtrl+Down").triggered.connect(lambda: self.moved.emit(1))
        menu.addAction("Remove\tDel").triggered.connect(self.removed)
        button = QToolButton()
        button.setText("⋮")
        button.setAutoRaise(True)
        button.setAccessibleName(f"What can be done with {self.name}")
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.clicked.connect(lambda: menu.popup(button.mapToGlobal(button.rect().bottomLeft())))
        return button

    def _drag(self, event: QMouseEvent) -> None:
        y = event.position().y()
        self._dragging = self._dragging or abs(y - (self._pressed or 0)) > _FAR
        if self._dragging:
            self._head.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(self._height_of(event))

    def _let_go(self, event: QMouseEvent) -> None:
        self._head.setCursor(Qt.CursorShape.OpenHandCursor)
        dragged, self._pressed, self._dragging = self._dragging, None, False
        if dragged:
            self.dropped.emit(self._height_of(event))

    def _height_of(self, event: QMouseEvent) -> int:
        """Return where the pointer is in the card's parent."""
        return self.mapToParent(self._head.mapToParent(event.position().toPoint())).y()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._head or not isinstance(event, QMouseEvent):
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._pressed = event.position().y()
        elif event.type() == QEvent.Type.MouseMove and self._pressed is not None:
            self._drag(event)
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._let_go(event)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Delete:
            self.removed.emit()
        elif key == Qt.Key.Key_Space:
            self.switched.emit(not self.on.isChecked())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = theme.colours(self.palette())
        painter.setPen(QPen(QColor(chosen.accent if self.hasFocus() else chosen.line), 1))
        painter.setBrush(QColor(chosen.raised))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        if self.on.isChecked():
            painter.setPen(QPen(QColor(chosen.line), 1))
            below = self._head.geometry().bottom() + 0.5
            painter.drawLine(QPointF(frame.left(), below), QPointF(frame.right(), below))
