"""The sources at the left: what was opened, and which context of it is shown."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui.models.document import Document
from inspector.ui.models.selection import Selection
from inspector.ui.models.source_nodes import source_nodes
from inspector.ui.models.source_tree import Node, SourceTreeModel
from inspector.ui.widgets.source_tree import SourceTree

_GROWING = 500
"""Milliseconds for which growth is collected before the tree tells of it."""


class SourcesPanel(QWidget):
    """The tree.

    Signals:
        context_chosen: a context was selected, which is shown then.
        problem_chosen: a problem was selected.
        file_chosen: a file was selected.
    """

    context_chosen = Signal()
    problem_chosen = Signal(object)
    file_chosen = Signal(object)

    def __init__(
        self, document: Document, selection: Selection, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._selection = selection
        self.model = SourceTreeModel(self)
        self.tree = SourceTree(self.model)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tree)
        self._growing = QTimer(self)
        self._growing.setSingleShot(True)
        self._growing.setInterval(_GROWING)
        self._growing.timeout.connect(self._renew)
        document.replaced.connect(self._show)
        for signal in (document.grew, document.reading_changed):
            signal.connect(self._grow)
        document.opened.connect(self._renew)
        selection.trace_changed.connect(self._mark_trace)
        self.tree.node_chosen.connect(self._choose)

    def _show(self) -> None:
        content = self._document.content
        if content is not None:
            self.model.show_nodes(self._nodes())

    def _nodes(self) -> list[Node]:
        document = self._document
        assert document.content is not None
        return source_nodes(document.paths, document.content, document.live)

    def _grow(self) -> None:
        if self._document.content is not None and not self._growing.isActive():
            self._growing.start()

    def _renew(self) -> None:
        if self._document.content is not None:
            self.tree.renew(self._nodes())
            if not self.tree.currentIndex().isValid():
                self._mark_trace()

    def _mark_trace(self) -> None:
        if self._selection.trace is not None:
            self.tree.choose(self._selection.trace)

    def _choose(self, node: Node) -> None:
        if node.kind == "problem":
            self.problem_chosen.emit(node.payload)
        elif node.kind == "file":
            self.file_chosen.emit(node.payload)
        elif node.kind == "context":
            self._selection.show_trace(self._document.current(node.payload))
            self.context_chosen.emit()
