"""The settings at the left: the chain as cards in order, and what the engine itself is told.

A card is moved by its head or by its menu, switched off, or removed; others come from the registry
or as a whole chain. The order of the cards is the order in which the processors act.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engine.processors.registry import registered_names
from inspector.ui import theme
from inspector.ui.actions import Actions
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.settings.chain_presets import presets
from inspector.ui.models.replay.settings.setup import FieldKey, Link
from inspector.ui.panels.replay.chain.capacity import ReplayCapacityRow
from inspector.ui.panels.replay.chain.card import MARGIN, ChainCard
from inspector.ui.panels.replay.chain.engine import ReplayEngineRows
from inspector.ui.panels.replay.chain.field import ReplayFieldRow
from inspector.ui.widgets.drop_line import DropLine
from inspector.ui.widgets.fields.fault_label import FaultLabel
from inspector.ui.widgets.push_button import menu_button, push_button

_EXPORTS = ("export_case", "export_report", "save_chain", "save_project")
_TAKEN_HOME = ("copy_python", "copy_command", "copy_settings")


class ReplayChainPanel(QWidget):
    """Header, cards, engine, and what can be done with the case."""

    def __init__(self, bench: ReplayBench, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._settings = bench.settings
        self.edits = QLabel()
        self.cards: list[ChainCard] = []
        self._links: tuple[Link, ...] | None = None
        """Those that there are cards of; None: of another case."""
        self.capacity = ReplayCapacityRow(bench.settings)
        self.engine = ReplayEngineRows(bench.settings, actions["ask_model"])
        self.presets, self.additions = QMenu(self), QMenu(self)
        self.error = FaultLabel()
        self._area = QScrollArea()
        self._cards = QVBoxLayout()
        self._cards.setSpacing(theme.GRID)
        self._inner = QWidget()
        self._drop = DropLine(self._inner)
        self._build(actions)
        bench.state_changed.connect(self._show_state)
        bench.settings_changed.connect(self._show_settings)
        bench.result_changed.connect(self._show_states)
        self.presets.aboutToShow.connect(self._list_presets)
        self.additions.aboutToShow.connect(self._list_additions)

    def row(self, owner: str, name: str) -> ReplayFieldRow:
        """Return the row of a setting."""
        rows = (row for card in self.cards for row in card.rows)
        return next(row for row in rows if row.key == FieldKey(owner, name))

    def card(self, name: str) -> ChainCard:
        """Return the card of a processor."""
        return next(card for card in self.cards if card.name == name)

    def place(self, at: int, to: int) -> None:
        """Put a card in another place."""
        links = list(self._settings.links)
        if 0 <= to < len(links) and at != to:
            links.insert(to, links.pop(at))
            self._settings.change_chain(tuple(links))
            self.cards[to].setFocus()

    def switch(self, at: int, on: bool) -> None:
        """Switch a processor on or off."""
        links = list(self._settings.links)
        links[at] = links[at]._replace(on=on)
        self._settings.change_chain(tuple(links))

    def remove(self, at: int) -> None:
        """Take a processor out of the chain."""
        links = self._settings.links
        self._settings.change_chain(links[:at] + links[at + 1 :])
        if self.cards:
            self.cards[min(at, len(self.cards) - 1)].setFocus()

    def add(self, name: str) -> None:
        """Put a processor at the end of the chain."""
        self._settings.change_chain((*self._settings.links, Link(name, {})))
        self.cards[-1].setFocus()
        self._area.ensureWidgetVisible(self.cards[-1])

    def _build(self, actions: Actions) -> None:
        column = QVBoxLayout(self._inner)
        column.setContentsMargins(MARGIN, 0, MARGIN, theme.GRID)
        column.setSpacing(theme.GRID)
        column.addLayout(self._cards)
        added = menu_button("Add a processor", self.additions)
        column.addWidget(added, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.error)
        column.addWidget(_caption("ENGINE"))
        column.addWidget(self.capacity)
        column.addWidget(self.engine)
        column.addStretch(1)
        area = self._area
        area.setWidget(self._inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head(actions))
        layout.addWidget(area, 1)
        layout.addLayout(self._foot(actions))

    def _head(self, actions: Actions) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN + 2, 6, MARGIN, 6)
        head.setSpacing(theme.GRID)
        head.addWidget(_caption("CHAIN"))
        head.addWidget(self.edits, 1)
        head.addWidget(menu_button("Presets", self.presets))
        head.addWidget(push_button(actions["reset_settings"], "Reset all"))
        return head

    def _foot(self, actions: Actions) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.setContentsMargins(MARGIN, theme.GRID, MARGIN, theme.GRID)
        for title, names in (("Save", _EXPORTS), ("Take home", _TAKEN_HOME)):
            menu = QMenu(self)
            menu.setToolTipsVisible(True)
            for name in names:
                menu.addAction(actions[name])
            foot.addWidget(menu_button(title, menu), 1)
        return foot

    def _show_state(self) -> None:
        self._links = None
        if self._bench.state == "ready":
            self._show_settings()

    def _show_settings(self) -> None:
        if self._bench.state != "ready":
            return
        edits = self._settings.edits
        self.edits.setText(
            f"{edits} edited" if edits else f"as {self._settings.told_provenance('recorded')}"
        )
        role = self.palette().ColorRole
        self.edits.setForegroundRole(role.Accent if edits else role.PlaceholderText)
        self._lay_cards()
        for card, as_set in zip(self.cards, self._settings.cards, strict=True):
            card.show_settings(as_set)
        fault = self._settings.errors.get(FieldKey("", ""), "")
        self.error.tell(fault)
        self.capacity.show_capacity()
        self.engine.show_engine()
        self._show_states()
        self._fit_width()

    def _lay_cards(self) -> None:
        """Make cards anew where the chain is another one."""
        if self._links == self._settings.links:
            return
        self._links = self._settings.links
        for card in self.cards:
            self._cards.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [ChainCard(self._bench, card) for card in self._settings.plain_cards]
        for at, card in enumerate(self.cards):
            card.moved.connect(partial(self._move_by, at))
            card.dragged.connect(self._show_drop)
            card.dropped.connect(partial(self._drop_card, at))
            card.switched.connect(partial(self.switch, at))
            card.removed.connect(partial(self.remove, at))
            self._cards.addWidget(card)
            card.show()  # else its width does not count yet

    def _fit_width(self) -> None:
        """Leave room for the widest card, so that no figure is cut."""
        layout = self._inner.layout()
        assert layout is not None
        layout.activate()
        bar = self._area.verticalScrollBar().sizeHint().width()
        self._area.setMinimumWidth(layout.minimumSize().width() + bar)

    def _show_states(self) -> None:
        for card, link in zip(self.cards, self._settings.links, strict=False):
            card.show_state(link.on)

    def _move_by(self, at: int, places: int) -> None:
        self.place(at, at + places)

    def _gap_at(self, y: int) -> int:
        """Return how many cards lie above a height of the inner widget."""
        return sum(card.geometry().center().y() < y for card in self.cards)

    def _show_drop(self, y: int) -> None:
        self._area.ensureVisible(0, y, 0, theme.ROW)
        gap = self._gap_at(y)
        above = self.cards[gap - 1].geometry().bottom() if gap else self.cards[0].y() - theme.GRID
        self._drop.show_at(above + theme.GRID // 2, self._inner.width())

    def _drop_card(self, at: int, y: int) -> None:
        self._drop.hide()
        gap = self._gap_at(y)
        self.place(at, gap - (gap > at))

    def _list_presets(self) -> None:
        self.presets.clear()
        base = self._settings.base
        if base is not None:
            told = self._settings.told_provenance("recorded")
            own = self.presets.addAction(f"As {told}")
            chain = tuple(Link(name, settings) for name, settings in base.processors)
            own.triggered.connect(partial(self._settings.take_chain, chain))
            self.presets.addSeparator()
        for preset in presets():
            action = self.presets.addAction(preset.name)
            action.triggered.connect(partial(self._settings.take_chain, preset.links))

    def _list_additions(self) -> None:
        self.additions.clear()
        there = {link.name for link in self._settings.links}
        for name in registered_names():
            if name not in there:
                self.additions.addAction(name).triggered.connect(partial(self.add, name))


def _caption(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(theme.emphasised(theme.small_font()))
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    return label
