"""Editors for the kinds of settings: they show a value and say which one the user wants instead.

An editor knows nothing of where the value belongs. A new kind of setting is one subclass here and
one entry in `EDITORS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from inspector.replay.fields import Kind, SettingField
from inspector.ui import theme
from inspector.ui.models.row_table import plain_tip
from inspector.ui.widgets.choice_box import ChoiceBox
from inspector.ui.widgets.number_field import CountField, RatioField

_SMALLEST = 1e-6
"""What lies beside a bound that is not itself allowed."""


class SettingEditor(QWidget):
    """The base of an editor.

    Signals:
        changed: the value that the user wants, and whether it is being typed.
    """

    changed = Signal(object, bool)

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        """Lay out an editor.

        Args:
            field: What is set; its bounds are taken, its value is not.
            parent: The widget it is in.
        """
        super().__init__(parent)
        self._nothing: QCheckBox | None = None
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.GRID // 2)
        if field.optional:
            self._nothing = _nothing_box(field)
            self._nothing.toggled.connect(self._tell)
            self._layout.addWidget(self._nothing)

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

    @property
    def input(self) -> QWidget:
        """The widget that the value is typed into."""
        raise NotImplementedError

    def read(self) -> Any:
        """Return the value as it stands in the input."""
        raise NotImplementedError

    def write(self, value: Any) -> None:
        """Put a value into the input."""
        raise NotImplementedError

    def _tell(self, *_: object) -> None:
        nothing = self._nothing is not None and self._nothing.isChecked()
        self.changed.emit(None if nothing else self.read(), False)


class RatioEditor(SettingEditor):
    """A share of something, or any other number that is not whole."""

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        low, high = (field.low, field.high)
        self._field = RatioField(
            field.label,
            -1e3 if low is None else low + _SMALLEST * field.low_open,
            1e3 if high is None else high - _SMALLEST * field.high_open,
        )
        self._layout.addWidget(self._field)
        self._field.valueChanged.connect(
            lambda: self.changed.emit(self.read(), self._field.lineEdit().isModified())
        )

    @property
    def input(self) -> RatioField:
        return self._field

    def read(self) -> float:
        return round(self._field.value(), 6)

    def write(self, value: float) -> None:
        self._field.setValue(value)


class CountEditor(SettingEditor):
    """A whole number."""

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        low = 0 if field.low is None else int(field.low) + field.low_open
        digits = max(4, len(str(field.default or "")))
        self._field = CountField(field.label, low, digits)
        self._field.setValue(low)
        self._layout.addWidget(self._field)
        self._field.valueChanged.connect(
            lambda: self.changed.emit(self.read(), self._field.lineEdit().isModified())
        )

    @property
    def input(self) -> CountField:
        return self._field

    def read(self) -> int:
        return self._field.value()

    def write(self, value: int) -> None:
        self._field.setValue(value)


class SwitchEditor(SettingEditor):
    """On or off."""

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._box = QCheckBox()
        self._box.setAccessibleName(field.label)
        self._layout.addWidget(self._box)
        self._box.toggled.connect(self._tell)

    @property
    def input(self) -> QCheckBox:
        return self._box

    def read(self) -> bool:
        return self._box.isChecked()

    def write(self, value: bool) -> None:
        self._box.setChecked(value)


class TextEditor(SettingEditor):
    """A text on one line."""

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._line = QLineEdit()
        self._line.setAccessibleName(field.label)
        self._line.setProperty("quiet", True)
        self._line.setFont(theme.content_font())
        self._line.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._line.setFixedWidth(88)
        self._layout.addWidget(self._line)
        self._line.textEdited.connect(lambda: self.changed.emit(self.read(), True))

    @property
    def input(self) -> QLineEdit:
        return self._line

    def read(self) -> Any:
        return self._line.text()

    def write(self, value: Any) -> None:
        self._line.setText(value)


class ListEditor(TextEditor):
    """Some words, parted by commas."""

    def read(self) -> Any:
        return [word for part in self._line.text().split(",") if (word := part.strip())]

    def write(self, value: Any) -> None:
        self._line.setText(", ".join(value))
        self._line.setToolTip(plain_tip("\n".join(value)))


class ChoiceEditor(SettingEditor):
    """One of a few words."""

    def __init__(self, field: SettingField, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._box = ChoiceBox(field.label, field.choices)
        self._layout.addWidget(self._box)
        self._box.currentTextChanged.connect(self._tell)

    @property
    def input(self) -> ChoiceBox:
        return self._box

    def read(self) -> str:
        return self._box.currentText()

    def write(self, value: str) -> None:
        self._box.setCurrentText(value)


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
