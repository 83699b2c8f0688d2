"""The tree of sources, painted like every other list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.ui import theme
from inspector.ui.models.row_table import Index
from inspector.ui.models.source_tree import Node, SourceTreeModel
from inspector.ui.widgets.cell_painter import paint_cell

_INDENT = 12
_SECTION = 28
_ASIDE = 0.65
"""Share of a row that the aside may take from a long label."""


class SourceTree(QTreeView):
    """Sections, workspaces, sessions, contexts, other kinds, problems.

    Signals:
        node_chosen: the user or the program made a node current.
    """

    node_chosen = Signal(object)

    def __init__(self, model: SourceTreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setModel(model)
        self.setAccessibleName("Sources")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(_INDENT)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(_NodeDelegate(self))
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.selectionModel().currentChanged.connect(self._tell_current)
        model.modelReset.connect(self._unfold)

    def choose(self, payload: object) -> None:
        """Make the node that stands for something current."""
        for index, node in self._model.indexes():
            if node.payload is payload:
                self.setCurrentIndex(index)
                self.scrollTo(index)
                return

    def renew(self, roots: Sequence[Node]) -> None:
        """Show the tree as it is now; what is unfolded, current and in sight stays."""
        if self._model.renew(roots):
            self.viewport().update()
            return
        path, top = self._model.path, self.verticalScrollBar().value()
        unfolded = {path(i): self.isExpanded(i) for i, n in self._model.indexes() if n.children}
        current = path(self.currentIndex()) if self.currentIndex().isValid() else None
        self._model.show_nodes(roots)
        self.selectionModel().blockSignals(True)
        for index, _ in self._model.indexes():
            if path(index) in unfolded:
                self.setExpanded(index, unfolded[path(index)])
            if path(index) == current:
                self.setCurrentIndex(index)
        self.selectionModel().blockSignals(False)
        self.doItemsLayout()
        self.verticalScrollBar().setValue(top)

    def _unfold(self) -> None:
        for index, node in self._model.indexes():
            if node.kind in ("section", "workspace", "session"):
                self.setExpanded(index, True)

    def _tell_current(self, current: Index) -> None:
        if current.isValid():
            self.node_chosen.emit(self._model.node(current))


class _NodeDelegate(QStyledItemDelegate):
    def __init__(self, tree: SourceTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = self._tree.model()
        assert isinstance(model, SourceTreeModel)
        node = model.node(index)
        chosen = theme.colours(option.palette)
        rect = QRectF(option.rect)
        if node.kind == "section":
            _paint_section(painter, node, rect, chosen)
            return
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(chosen.selection))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(chosen.hover))
        room = rect.adjusted(4, 0, -theme.GRID, 0)
        paint_cell(painter, room, model.cell(index), chosen, aside_share=_ASIDE)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        model = self._tree.model()
        assert isinstance(model, SourceTreeModel)
        return QSize(80, _SECTION if model.node(index).kind == "section" else theme.ROW)


def _paint_section(painter: QPainter, node: Node, rect: QRectF, chosen: theme.Colours) -> None:
    font = theme.emphasised(theme.small_font())
    font.setLetterSpacing(font.SpacingType.AbsoluteSpacing, 0.4)
    painter.setFont(font)
    painter.setPen(QColor(chosen.muted))
    painter.drawText(QPointF(theme.GRID, rect.bottom() - 8), f"{node.label} {node.aside}".strip())
