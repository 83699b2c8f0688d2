"""The tree of what was opened, over plain nodes.

The model knows nothing of what a node stands for; `source_nodes` builds them from a recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject
from PySide6.QtGui import Qt

from inspector.ui.models.marks import Mark
from inspector.ui.models.row_table import Cell, Index, plain_tip

_NOWHERE = QModelIndex()
NodeKind = Literal["section", "workspace", "session", "context", "kind", "file", "problem"]


@dataclass(frozen=True)
class Node:
    """A row of the tree."""

    kind: NodeKind
    label: str
    aside: str = ""
    mark: Mark | None = None
    tip: str = ""
    payload: Any = None
    """What it stands for: a trace, a source, a problem."""
    children: tuple[Node, ...] = ()


class SourceTreeModel(QAbstractItemModel):
    """Nodes as a model with one column; an index carries the number of its node."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._nodes: list[Node] = []
        self._parents: list[int] = []
        self._rows: list[int] = []
        self._children: list[list[int]] = []
        self._roots: list[int] = []

    def show_nodes(self, roots: Sequence[Node]) -> None:
        """Show other nodes."""
        self.beginResetModel()
        self._nodes, self._parents, self._rows, self._children = [], [], [], []
        self._roots = [self._add(node, -1, row) for row, node in enumerate(roots)]
        self.endResetModel()

    def renew(self, roots: Sequence[Node]) -> bool:
        """Show the same nodes with other asides and payloads; False where others are needed."""
        nodes = [*_flat(roots)]
        if [_place(node) for node in nodes] != [_place(node) for node in self._nodes]:
            return False
        self._nodes = nodes
        for row, at in enumerate(self._roots):
            index = self.createIndex(row, 0, at)
            self.dataChanged.emit(index, index)
        return True

    def path(self, index: Index) -> tuple[str, ...]:
        """Return the labels from the root down to a node."""
        at, labels = index.internalId(), list[str]()
        while at >= 0:
            labels.append(self._nodes[at].label)
            at = self._parents[at]
        return tuple(reversed(labels))

    def node(self, index: Index) -> Node:
        """Return the node of an index."""
        return self._nodes[index.internalId()]

    def cell(self, index: Index) -> Cell:
        """Return what is painted of a node."""
        node = self.node(index)
        quiet = node.kind in ("kind", "file", "problem")
        aside = f"  {node.aside}" if node.aside else ""
        return Cell(node.label, "muted" if quiet else "text", node.mark, aside)

    def indexes(self) -> Iterator[tuple[QModelIndex, Node]]:
        """Return every index with its node, parents first."""
        for at, node in enumerate(self._nodes):
            yield self.createIndex(self._rows[at], 0, at), node

    def _add(self, node: Node, parent: int, row: int) -> int:
        at = len(self._nodes)
        self._nodes.append(node)
        self._parents.append(parent)
        self._rows.append(row)
        self._children.append([])
        self._children[at] = [
            self._add(child, at, place) for place, child in enumerate(node.children)
        ]
        return at

    def _below(self, parent: Index) -> list[int]:
        return self._children[parent.internalId()] if parent.isValid() else self._roots

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        if column != 0 or (parent.isValid() and parent.column() != 0):
            return QModelIndex()
        below = self._below(parent)
        return self.createIndex(row, 0, below[row]) if 0 <= row < len(below) else QModelIndex()

    def parent(self, index: Index = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        if not index.isValid():
            return QModelIndex()
        above = self._parents[index.internalId()]
        return QModelIndex() if above < 0 else self.createIndex(self._rows[above], 0, above)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.column() > 0 else len(self._below(parent))

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self.node(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{node.label} {node.aside}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(node.tip or f"{node.label} {node.aside}".strip())
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self.node(index).kind == "section":
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)


def _flat(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _flat(node.children)


def _place(node: Node) -> tuple[str, str, int]:
    return node.kind, node.label, len(node.children)
