"""One setting of the chain as a row of its card: name, where its value comes from, an editor.

What is typed is set a moment after the last key, so that half a number is not replayed; a slider
and the arrow keys act at once.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.replay.fields import SettingField
from inspector.ui import formats, theme
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.replay.assumption_list import told_possible, told_value
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.setup import FieldKey
from inspector.ui.models.replay.thresholds import HUNDREDTHS
from inspector.ui.models.row_table import plain_tip
from inspector.ui.widgets.bar_slider import BarSlider
from inspector.ui.widgets.provenance_button import ProvenanceButton
from inspector.ui.widgets.setting_editors import EDITORS, SettingEditor

TYPING = 350
"""Milliseconds after the last key until a typed value is set."""
TOKENS_WIDTH = 56


class ReplayFieldRow(QWidget):
    """A row; it follows the bench and edits it."""

    def __init__(
        self, bench: ReplayBench, field: SettingField, parent: QWidget | None = None
    ) -> None:
        """Lay out the row of a setting.

        Args:
            bench: What is edited.
            field: The setting as the case has it.
            parent: The card.
        """
        super().__init__(parent)
        self.key = FieldKey(field.owner, field.name)
        self._bench = bench
        self._base = field
        self._typed: Any = None
        self.provenance = ProvenanceButton()
        self.editor: SettingEditor = EDITORS[field.kind](field)
        self.slider: BarSlider | None = None
        self.tokens = QLabel()
        self.error = error_label()
        self._typing = QTimer(self)
        self._build()
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING)
        self._typing.timeout.connect(lambda: bench.edit(self.key, self._typed))
        self.provenance.clicked.connect(self._go_back)
        self.editor.changed.connect(self._take)

    def show_field(self, field: SettingField) -> None:
        """Show the setting as it stands on the bench."""
        fault = self._bench.errors.get(self.key, "")
        edited = bool(fault) or field.provenance == "edited"
        if edited:
            self.provenance.offer("edited", f"Back to {told_value(self._base.value)}")
        else:
            told = self._bench.told_provenance(field.provenance)
            self.provenance.say(told, _MARKS.get(field.provenance))
        if not fault and not self._typing.isActive():
            self.editor.show_value(field.value)
        self.editor.mark(edited, bool(fault))
        self.error.setText(fault)
        self.error.setVisible(bool(fault))
        self.tokens.setText(
            formats.number(field.tokens(self._bench.capacity)) if _some(field) else ""
        )
        if self.slider is not None and not fault:
            self._place_slider(self.slider, field, edited)

    def _place_slider(self, slider: BarSlider, field: SettingField, edited: bool) -> None:
        slider.setEnabled(field.value is not None)
        slider.show_origin(_position(self._base.value or 0.0), edited)
        slider.blockSignals(True)
        slider.setValue(_position(field.value or 0.0))
        slider.blockSignals(False)

    def _build(self) -> None:
        field = self._base
        name = QLabel(field.label.replace(" context ratio", " ratio"))
        name.setToolTip(plain_tip(_about(field)))
        line = QHBoxLayout()
        line.setSpacing(theme.GRID)
        line.addWidget(name)
        line.addWidget(self.provenance)
        line.addStretch(1)
        line.addWidget(self.editor)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        if field.kind == "ratio":
            line.addWidget(self.tokens)
            self._dress_tokens()
            self.slider = BarSlider(f"{field.label} of {field.owner}")
            self.slider.setToolTip(name.toolTip())
            self.slider.setRange(int(field.low_open), HUNDREDTHS - field.high_open)
            self.slider.setPageStep(5)
            self.slider.valueChanged.connect(self._slide)
            layout.addWidget(self.slider)
        layout.addWidget(self.error)

    def _dress_tokens(self) -> None:
        self.tokens.setFont(theme.content_font())
        self.tokens.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.tokens.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.tokens.setFixedWidth(TOKENS_WIDTH)
        self.tokens.setAccessibleName("Tokens")

    def _slide(self, position: int) -> None:
        self._typing.stop()
        self._bench.move(self.key, position)

    def _take(self, value: Any, typed: bool) -> None:
        if typed:
            self._typed = value
            self._typing.start()
        else:
            self._typing.stop()
            self._bench.edit(self.key, value)

    def _go_back(self) -> None:
        self._typing.stop()
        self._bench.edit(self.key, self._base.value)


_MARKS = {"recorded": BASIS_MARKS["recorded"], "assumed": BASIS_MARKS["inferred"]}


def error_label() -> QLabel:
    """Return a label that says what is wrong with a value, not yet shown."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(theme.small_font())
    label.setForegroundRole(label.palette().ColorRole.BrightText)
    label.setWordWrap(True)
    label.hide()
    return label


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
