"""A table of 22-pixel rows, painted by hand.

`QTableView` gives geometry, keys, selection and screen readers; what is in sight is read from the
model as `Cell`s and painted, without a delegate and without asking for a single role. A frame takes
about twice as long as that of a `QTableView` with nothing in it, however many rows there are.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from inspector.ui import theme
from inspector.ui.models.row_table import Column, RowTableModel
from inspector.ui.widgets.cell_painter import paint_cell

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

    def paint_cell(
        self, painter: QPainter, rect: QRectF, row: int, at: int, chosen: theme.Colours
    ) -> None:
        """Paint one cell into its rectangle; a subclass adds what a `Cell` cannot say."""
        column = self._model.COLUMNS[at]
        room = rect.adjusted(PADDING, 0, -PADDING, 0)
        cell = self._model.cell(row, at)
        paint_cell(painter, room, cell, chosen, fixed=column.fixed, right=column.right)

    def _ground(self, row: int, chosen: theme.Colours) -> tuple[str, str]:
        """Return the colours under a row and of the bar before it; empty for none."""
        if row == self.current_row():
            return chosen.selection, chosen.accent if self.hasFocus() else ""
        if self._model.lit(row):
            return chosen.raised, chosen.muted
        return chosen.hover if row == self.hovered else "", ""

    def _rows_in(self, area: QRect) -> range:
        """Return the rows that lie in an area of the viewport."""
        first, last = self.rowAt(area.top()), self.rowAt(area.bottom())
        count = self._model.row_count()
        return range(first if first >= 0 else count, last + 1 if last >= 0 else count)

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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        chosen = theme.colours(self.palette())
        places = {
            at: (self.columnViewportPosition(at), self.columnWidth(at))
            for at in range(len(self._model.COLUMNS))
            if not self.isColumnHidden(at)
        }
        left, width = -self.horizontalOffset(), self.horizontalHeader().length()
        for row in self._rows_in(event.rect()):
            top = self.rowViewportPosition(row)
            ground, bar = self._ground(row, chosen)
            if ground:
                painter.fillRect(left, top, width, theme.ROW, QColor(ground))
            if bar:
                painter.fillRect(left, top, 2, theme.ROW, QColor(bar))
            for at, (x, wide) in places.items():
                rect = QRectF(x, top, wide, theme.ROW)
                self.paint_cell(painter, rect, row, at, chosen)
