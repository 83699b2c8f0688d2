"""A table of 22-pixel rows, painted cell by cell in one call each.

`QTableView` gives keys, selection and screen readers; the delegate reads a `Cell` from the model
and paints it, without asking for a single role (measured: a third of the default's time per frame,
at a million rows).
"""

from __future__ import annotations

from functools import cache
from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from inspector.ui import theme
from inspector.ui.models.row_table import Cell, Column, Index, RowTableModel
from inspector.ui.widgets.mark_painter import mark_width, paint_mark

PADDING = theme.GRID
_HEADER = 26


class RowView(QTableView):
    """A list of decisions, messages, gates or records.

    Signals:
        row_selected: the user or the program made a row current; -1 when none is.
        row_hovered: the pointer is over another row; -1 when it left.
    """

    row_selected = Signal(int)
    row_hovered = Signal(int)

    def __init__(
        self, model: RowTableModel, name: str, titled: bool = True, parent: QWidget | None = None
    ) -> None:
        """Show a model.

        Args:
            model: The rows.
            name: What the table is, for screen readers.
            titled: Whether the columns have titles.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._model = model
        self.hovered = -1
        self.setModel(model)
        self.setAccessibleName(name)
        self.setItemDelegate(RowDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(theme.ROW)
        rows.setDefaultSectionSize(theme.ROW)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._lay_out_columns(model.COLUMNS, titled)
        self.selectionModel().currentRowChanged.connect(self._tell_current)

    def show_row(self, row: int | None) -> None:
        """Make a row current and bring it into sight; None: no row."""
        if row is None:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        elif row != self.currentIndex().row():
            self.setCurrentIndex(self._model.index(row, 0))

    def top_row(self) -> int:
        """Return the first row in sight; -1 where there is none."""
        return self.rowAt(0)

    def show_again(self, current: int | None, top: int | None) -> None:
        """After the rows were listed anew, make a row current and put one at the top, if given."""
        self.setAutoScroll(False)
        self.show_row(current)
        self.setAutoScroll(True)
        if top is not None:
            self.doItemsLayout()  # else the scroll bar has the range of the rows before
            self.verticalScrollBar().setValue(top)

    def current_row(self) -> int | None:
        """Return the current row."""
        row = self.currentIndex().row()
        return row if row >= 0 else None

    def row_text(self, row: int) -> str:
        """Return a row as text, cells parted by tabs."""
        cells = (self._model.cell(row, column) for column in range(len(self._model.COLUMNS)))
        return "\t".join(cell.text + cell.aside for cell in cells)

    def lay_out_columns(self) -> None:
        """Give the columns their first width, after the model got others."""
        self._lay_out_columns(self._model.COLUMNS, not self.horizontalHeader().isHidden())

    def _lay_out_columns(self, columns: tuple[Column, ...], titled: bool) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setVisible(titled)
        header.setHighlightSections(False)
        header.setFixedHeight(_HEADER)
        header.setMinimumSectionSize(24)
        for at, column in enumerate(columns):
            if column.width:
                self.setColumnWidth(at, column.width)
            else:
                header.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)

    def _tell_current(self, current: QModelIndex) -> None:
        self.row_selected.emit(current.row())

    def _hover(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.viewport().update()
            self.row_hovered.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        if event.matches(QKeySequence.StandardKey.Copy) and row is not None:
            QGuiApplication.clipboard().setText(self.row_text(row))
            return
        super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.rowAt(int(event.position().y())))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)


class RowDelegate(QStyledItemDelegate):
    """Paints one cell in one call."""

    def __init__(self, view: RowView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = cast("RowTableModel", index.model())
        row, at = index.row(), index.column()
        column = model.COLUMNS[at]
        chosen = theme.colours(option.palette)
        rect = QRectF(option.rect)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(chosen.selection))
            if at == 0 and state & QStyle.StateFlag.State_Active and self._view.hasFocus():
                painter.fillRect(
                    QRectF(rect.left(), rect.top(), 2, rect.height()), QColor(chosen.accent)
                )
        elif model.lit(row):
            painter.fillRect(rect, QColor(chosen.raised))
            if at == 0:
                painter.fillRect(
                    QRectF(rect.left(), rect.top(), 2, rect.height()), QColor(chosen.muted)
                )
        elif row == self._view.hovered:
            painter.fillRect(rect, QColor(chosen.hover))
        self.paint_cell(
            painter, rect.adjusted(PADDING, 0, -PADDING, 0), model.cell(row, at), column, chosen
        )

    def paint_cell(
        self, painter: QPainter, rect: QRectF, cell: Cell, column: Column, chosen: theme.Colours
    ) -> None:
        """Paint mark, text and aside of a cell into a rectangle."""
        font = theme.content_font() if column.fixed else theme.interface_font()
        metrics = metrics_of(column.fixed)
        if cell.mark is not None:
            paint_mark(painter, cell.mark, rect, chosen)
            rect.setLeft(rect.left() + mark_width(cell.mark) + 6)
        painter.setFont(font)
        text, width = fitted(metrics, cell.text, rect.width())
        baseline = rect.center().y() + metrics_of(False).capHeight() / 2
        left = rect.right() - width if column.right else rect.left()
        painter.setPen(chosen.tone(cell.tone))
        painter.drawText(QPointF(left, round(baseline)), text)
        if cell.aside:
            room = rect.width() - width
            aside, _ = fitted(metrics, cell.aside, room)
            painter.setPen(QColor(chosen.muted))
            painter.drawText(QPointF(left + width, round(baseline)), aside)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.ROW)


@cache
def metrics_of(fixed: bool) -> QFontMetricsF:
    """Return the metrics of the content or the interface font."""
    font: QFont = theme.content_font() if fixed else theme.interface_font()
    return QFontMetricsF(font)


def fitted(metrics: QFontMetricsF, text: str, room: float) -> tuple[str, float]:
    """Return a text cut to a width, and its width."""
    width = metrics.horizontalAdvance(text)
    if width <= room:
        return text, width
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
    return text, metrics.horizontalAdvance(text)
