"""Editors for the kinds of settings: they show a value and say which one the user wants instead.

An editor knows nothing of where the value belongs. A new kind of setting is one subclass here and
one entry in `EDITORS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from inspector.replay.settings.fields import Kind, SettingField
from inspector.ui import theme
from inspector.ui.models.row_table import plain_tip
from inspector.ui.widgets.fields.choice_box import ChoiceBox
from inspector.ui.widgets.fields.number_field import CountField, RatioField

_SMALLEST = 1e-6
"""What lies beside a bound that is not itself allowed."""


class SettingEditor(QWidget):
    """The base of an editor.

    Signals:
        changed: the value that the user wants, and whether it is being typed.
    """

    changed = Signal(object, bool)

    def __init__(self, field: SettingField, input_: QWidget) -> None:
        """Lay out an editor.

        Args:
            field: What is set; its bounds are taken, its value is not.
            input_: The widget that the value is typed into.
        """
        super().__init__()
        self.input: QWidget = input_
        self._nothing = _nothing_box(field) if field.optional else None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID // 2)
        if self._nothing is not None:
            self._nothing.toggled.connect(self._tell)
            layout.addWidget(self._nothing)
        layout.addWidget(input_)
        input_.setAccessibleName(field.label)

    def show_value(self, value: Any) -> None:
        """Show a value; None only where the setting is optional."""
        if self._nothing is not None:
            self._nothing.blockSignals(True)
            self._nothing.setChecked(value is None)
            self._nothing.blockSignals(False)
        self.input.setEnabled(value is not None)
        if value is not None and value != self.read():
            self.input.blockSignals(True)
            self.write(value)
            self.input.blockSignals(False)

    def mark(self, edited: bool, invalid: bool) -> None:
        """Show that the value was edited, or is not valid."""
        for name, on in (("edited", edited), ("invalid", invalid)):
            if bool(self.input.property(name)) != on:
                self.input.setProperty(name, on)
                self.input.style().unpolish(self.input)
                self.input.style().polish(self.input)

    def read(self) -> Any:
        """Return the value as it stands in the input."""
        raise NotImplementedError

    def write(self, value: Any) -> None:
        """Put a value into the input."""
        raise NotImplementedError

    def _tell(self, *_: object, typing: bool = False) -> None:
        nothing = self._nothing is not None and self._nothing.isChecked()
        self.changed.emit(None if nothing else self.read(), typing)


class RatioEditor(SettingEditor):
    """A share of something, or any other number that is not whole."""

    input: RatioField

    def __init__(self, field: SettingField) -> None:
        low = -1e3 if field.low is None else field.low + _SMALLEST * field.low_open
        high = 1e3 if field.high is None else field.high - _SMALLEST * field.high_open
        super().__init__(field, RatioField(field.label, low, high))
        self.input.valueChanged.connect(
            lambda: self._tell(typing=self.input.lineEdit().isModified())
        )

    def read(self) -> float:
        return round(self.input.value(), 6)

    def write(self, value: float) -> None:
        self.input.setValue(value)


class CountEditor(SettingEditor):
    """A whole number."""

    input: CountField

    def __init__(self, field: SettingField) -> None:
        low = 0 if field.low is None else int(field.low) + field.low_open
        digits = max(4, len(str(field.default or "")))
        super().__init__(field, CountField(field.label, low, digits))
        self.input.setValue(low)
        self.input.valueChanged.connect(
            lambda: self._tell(typing=self.input.lineEdit().isModified())
        )

    def read(self) -> int:
        return self.input.count()

    def write(self, value: int) -> None:
        self.input.setValue(value)


class SwitchEditor(SettingEditor):
    """On or off."""

    input: QCheckBox

    def __init__(self, field: SettingField) -> None:
        super().__init__(field, QCheckBox())
        self.input.toggled.connect(self._tell)

    def read(self) -> bool:
        return self.input.isChecked()

    def write(self, value: bool) -> None:
        self.input.setChecked(value)


class TextEditor(SettingEditor):
    """A text on one line."""

    input: QLineEdit

    def __init__(self, field: SettingField) -> None:
        super().__init__(field, QLineEdit())
        self.input.setProperty("quiet", True)
        self.input.setFont(theme.content_font())
        self.input.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.input.setFixedWidth(88)
        self.input.textEdited.connect(lambda: self._tell(typing=True))

    def read(self) -> Any:
        return self.input.text()

    def write(self, value: Any) -> None:
        self.input.setText(value)


class ListEditor(TextEditor):
    """Some words, parted by commas."""

    def read(self) -> Any:
        return [word for part in self.input.text().split(",") if (word := part.strip())]

    def write(self, value: Any) -> None:
        self.input.setText(", ".join(value))
        self.input.setToolTip(plain_tip("\n".join(value)))


class ChoiceEditor(SettingEditor):
    """One of a few words."""

    input: ChoiceBox

    def __init__(self, field: SettingField) -> None:
        super().__init__(field, ChoiceBox(field.label, field.choices))
        self.input.currentTextChanged.connect(self._tell)

    def read(self) -> str:
        return self.input.currentText()

    def write(self, value: str) -> None:
        self.input.setCurrentText(value)


EDITORS: dict[Kind, Callable[[SettingField], SettingEditor]] = {
    "ratio": RatioEditor,
    "number": RatioEditor,
    "integer": CountEditor,
    "switch": SwitchEditor,
    "text": TextEditor,
    "list": ListEditor,
    "choice": ChoiceEditor,
}
"""The editor of each kind; a new one is registered here."""


def _nothing_box(field: SettingField) -> QCheckBox:
    box = QCheckBox("none")
    box.setAccessibleName(f"{field.label}: none")
    box.setToolTip("No value at all")
    box.setFont(theme.small_font())
    box.setForegroundRole(box.palette().ColorRole.PlaceholderText)
    return box
