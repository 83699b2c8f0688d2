"""One setting of the chain as a row of its card; what is wrong with its value stands below it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from inspector.replay.settings.fields import SettingField
from inspector.ui import formats, theme
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.settings.thresholds import HUNDREDTHS
from inspector.ui.models.replay.tables.assumption_list import told_possible, told_value
from inspector.ui.models.row_table import plain_tip
from inspector.ui.panels.replay.chain.setting_row import SettingRow
from inspector.ui.widgets.fields.bar_slider import BarSlider
from inspector.ui.widgets.fields.fault_label import FaultLabel
from inspector.ui.widgets.fields.setting_editors import EDITORS, SettingEditor

TOKENS_WIDTH = 56


class ReplayFieldRow(SettingRow):
    """A row; it follows the bench and edits it."""

    def __init__(
        self, settings: CaseSettings, field: SettingField, parent: QWidget | None = None
    ) -> None:
        """Lay out the row of a setting.

        Args:
            settings: What is edited.
            field: The setting as the case has it.
            parent: The card.
        """
        self.editor: SettingEditor = EDITORS[field.kind](field)
        super().__init__(field.label, _about(field), self.editor, parent)
        self.key = FieldKey(field.owner, field.name)
        self._settings = settings
        self._base = field
        self._typed: Any = None
        self.slider: BarSlider | None = None
        self.tokens = QLabel()
        self.error = FaultLabel()
        if field.kind == "ratio":
            self._add_slider()
        self.column.addWidget(self.error)
        self.typing.timeout.connect(lambda: settings.edit(self.key, self._typed))
        self.provenance.clicked.connect(self._go_back)
        self.editor.changed.connect(self._take)

    def show_field(self, field: SettingField) -> None:
        """Show the setting as it stands on the bench."""
        fault = self._settings.errors.get(self.key, "")
        edited = bool(fault) or field.provenance == "edited"
        if edited:
            self.provenance.offer("edited", f"Back to {told_value(self._base.value)}")
        else:
            told = self._settings.told_provenance(field.provenance)
            self.provenance.say(told, _MARKS.get(field.provenance))
        if not fault and not self.typing.isActive():
            self.editor.show_value(field.value)
        self.editor.mark(edited, bool(fault))
        self.error.tell(fault)
        self.tokens.setText(
            formats.number(field.tokens(self._settings.capacity)) if _some(field) else ""
        )
        if self.slider is not None and not fault:
            self._place_slider(self.slider, field, edited)

    def _place_slider(self, slider: BarSlider, field: SettingField, edited: bool) -> None:
        slider.setEnabled(field.value is not None)
        slider.show_origin(_position(self._base.value or 0.0), edited)
        slider.blockSignals(True)
        slider.setValue(_position(field.value or 0.0))
        slider.blockSignals(False)

    def _add_slider(self) -> None:
        field = self._base
        self._dress_tokens()
        self.line.addWidget(self.tokens)
        slider = self.slider = BarSlider(f"{field.label} of {field.owner}")
        slider.setToolTip(plain_tip(_about(field)))
        slider.setRange(int(field.low_open), HUNDREDTHS - field.high_open)
        slider.setPageStep(5)
        slider.valueChanged.connect(self._slide)
        self.column.addWidget(slider)

    def _dress_tokens(self) -> None:
        self.tokens.setFont(theme.content_font())
        self.tokens.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.tokens.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.tokens.setFixedWidth(TOKENS_WIDTH)
        self.tokens.setAccessibleName("Tokens")

    def _slide(self, position: int) -> None:
        self.typing.stop()
        self._settings.move(self.key, position)

    def _take(self, value: Any, typed: bool) -> None:
        if typed:
            self._typed = value
            self.typing.start()
        else:
            self.typing.stop()
            self._settings.edit(self.key, value)

    def _go_back(self) -> None:
        self.typing.stop()
        self._settings.edit(self.key, self._base.value)


_MARKS = {"recorded": BASIS_MARKS["recorded"], "assumed": BASIS_MARKS["inferred"]}


def _some(field: SettingField) -> bool:
    return field.kind == "ratio" and field.value is not None


def _position(value: float) -> int:
    return round(value * HUNDREDTHS)


def _about(field: SettingField) -> str:
    """Return what there is to know of a setting."""
    lines = [field.about, f"{field.owner}.{field.name}", f"Default {told_value(field.default)}."]
    if field.provenance == "assumed":
        lines.append(f"Assumed {told_value(field.value)}: the files show only what it led to.")
        if possible := told_possible(field):
            lines.append(f"From the recording it may be {possible}.")
    elif field.provenance == "recorded":
        lines.append(f"Recorded {told_value(field.value)}.")
    return "\n".join(filter(None, lines))
