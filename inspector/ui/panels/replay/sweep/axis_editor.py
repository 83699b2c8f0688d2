"""One axis of a sweep: a setting, and the values that it takes."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from inspector.replay.settings.fields import SettingField
from inspector.ui import theme
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.models.replay.tables.sweep_table import short_name
from inspector.ui.widgets.fields.choice_box import ChoiceBox

NOTHING = "—"
_CAPACITY = "engine.context_window_tokens"
_VARIED = ("ratio", "integer", "number", "switch", "choice")


class AxisEditor(QWidget):
    """A choice and a line for its values."""

    def __init__(self, name: str, optional: bool, parent: QWidget | None = None) -> None:
        """Lay out the axis.

        Args:
            name: What it is called, in a word.
            optional: Whether it may be left out.
            parent: What it stands in.
        """
        super().__init__(parent)
        self._optional = optional
        self._offers: dict[str, str] = {}
        self.setting = ChoiceBox(f"{name} setting", ())
        self.setting.setMaximumWidth(320)
        self.values = QLineEdit()
        self.values.setAccessibleName(f"Values of the {name} setting")
        self.values.setPlaceholderText("start:stop:step or a,b,c")
        self.values.setFont(theme.content_font())
        self.values.setProperty("quiet", True)
        self.values.setMinimumWidth(60)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID // 2)
        layout.addWidget(self.setting, 3)
        layout.addWidget(self.values, 2)
        self.setting.currentTextChanged.connect(self._offer)

    def list_settings(self, offers: dict[str, str]) -> None:
        """List settings with values to begin with; the choice stays where it can."""
        names = [NOTHING] * self._optional + list(offers)
        if names == [self.setting.itemData(at) for at in range(self.setting.count())]:
            return
        chosen, typed = self.setting.currentData(), self.values.text()
        self._offers = offers
        self.setting.clear()
        for name in names:
            self.setting.addItem(short_name(name), name)
        if chosen in names:
            self.choose(chosen, typed)

    def axis(self) -> str:
        """Return the axis as it is written on the command line; empty where there is none."""
        name = self.setting.currentData()
        return "" if name in (None, NOTHING) else f"{name}={self.values.text().strip()}"

    def choose(self, name: str, values: str) -> None:
        """Choose a setting and its values."""
        self.setting.setCurrentIndex(max(self.setting.findData(name), 0))
        self.values.setText(values)

    def _offer(self) -> None:
        self.values.setText(self._offers.get(self.setting.currentData(), ""))


def offers_of(settings: CaseSettings) -> dict[str, str]:
    """Return what can be varied of the case on the bench, each with values to begin with."""
    on = {link.name for link in settings.links if link.on}
    offers = {
        f"{field.owner}.{field.name}": _offer(field)
        for card in settings.cards
        if card.name in on
        for field in card.fields
        if field.kind in _VARIED
    }
    if settings.base_capacity:
        half = settings.base_capacity // 2
        offers[_CAPACITY] = f"{half}:{2 * settings.base_capacity}:{max(half, 1)}"
    return offers


def _offer(field: SettingField) -> str:
    if field.kind == "ratio":
        return _offered_ratios(field.value or 0.0)
    if field.kind == "switch":
        return "true,false"
    if field.kind == "choice":
        return ",".join(field.choices)
    value = field.value or 0
    return f"0:{max(2 * int(value), 8)}:{max(int(value) // 2, 2)}"


def _offered_ratios(value: float) -> str:
    """Return ratios around a small one; for a larger one those at which a window is filled well."""
    if not 0 < value < 0.5:
        return "0.5:0.9:0.1"
    return f"{value / 2:g}:{min(3 * value, 0.9):g}:{value / 2:g}"
