"""The capacity as a row like those of the cards: who says what it is, a number, a slider."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from inspector.ui import formats
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.panels.replay.chain.setting_row import SettingRow
from inspector.ui.widgets.fields.bar_slider import BarSlider
from inspector.ui.widgets.fields.number_field import CountField

_REACH = 4
"""How far the slider reaches, as a multiple of the capacity that the case has."""
_FEWEST = 25
"""Positions between nothing and that capacity; there may be up to two and a half times as many."""


class ReplayCapacityRow(SettingRow):
    """Tokens of the context window."""

    def __init__(self, settings: CaseSettings, parent: QWidget | None = None) -> None:
        self.field = CountField("Capacity in tokens", 1, digits=9)
        about = "Capacity in tokens; the ratios of the chain are shares of it"
        super().__init__("context window", about, self.field, parent)
        self._settings = settings
        self._unit = 1
        self.field.setMinimum(1)
        self.slider = BarSlider("Capacity in tokens")
        self.column.addWidget(self.slider)
        self.column.setContentsMargins(10, 0, 10, 0)
        self.typing.timeout.connect(lambda: settings.edit_capacity(self.field.count()))
        self.field.valueChanged.connect(self._take)
        self.slider.valueChanged.connect(self._slide)
        self.provenance.clicked.connect(lambda: settings.edit_capacity(settings.base_capacity))

    def show_capacity(self) -> None:
        """Show the capacity as it stands on the bench."""
        settings = self._settings
        base, now = settings.base_capacity, settings.capacity
        edited = now != base
        self._unit = tokens_of_position(base)
        self.field.setSingleStep(self._unit)
        if edited:
            self.provenance.offer("edited", f"Back to {formats.number(base)}")
        else:
            self._tell_source()
        self.field.setProperty("edited", edited)
        self.field.style().unpolish(self.field)
        self.field.style().polish(self.field)
        for widget in (self.field, self.slider):
            widget.blockSignals(True)
        self.slider.setRange(1, max(_REACH * base // self._unit, 1))
        self.slider.setPageStep(max(self.slider.maximum() // 20, 1))
        self.slider.setValue(self._position(now))
        self.slider.show_origin(self._position(base), edited)
        if self.field.count() != now and not self.typing.isActive():
            self.field.setValue(now)
        for widget in (self.field, self.slider):
            widget.blockSignals(False)

    def _tell_source(self) -> None:
        settings, source = self._settings, self._settings.capacity_source
        if source == "setting":
            self.provenance.say(settings.told_provenance("recorded"), BASIS_MARKS["recorded"])
        else:
            self.provenance.say(source or "default", None)

    def _take(self) -> None:
        if self.field.lineEdit().isModified():
            self.typing.start()
        else:
            self.typing.stop()
            self._settings.edit_capacity(self.field.count())

    def _slide(self, position: int) -> None:
        base = self._settings.base_capacity
        back = position == self._position(base)
        self._settings.edit_capacity(base if back else position * self._unit)

    def _position(self, tokens: int) -> int:
        return round(tokens / self._unit)


def tokens_of_position(base: int) -> int:
    """Return the tokens of one position: a round number, so that a pixel is no more than one."""
    for digits in range(len(str(base)), -1, -1):
        for figure in (5, 2, 1):
            if _FEWEST * figure * 10**digits <= base:
                return int(figure * 10**digits)
    return 1
