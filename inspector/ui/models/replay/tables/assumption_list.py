"""What a case does not know: settings that were assumed, and what the recording does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from inspector.replay.cases.case import Case
from inspector.replay.settings.fields import ProcessorCard, SettingField
from inspector.ui import formats
from inspector.ui.models.row_table import Cell, Column, RowTableModel


class AssumedListModel(RowTableModel):
    """One row an assumed setting: its value, and which others would have had the same effect."""

    COLUMNS = (
        Column("assumed setting", 0),
        Column("value", 64, right=True, fixed=True),
        Column("possible", 128, right=True, fixed=True, tip="Same consequences in the recording"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fields: list[SettingField] = []

    def show_cards(self, cards: Sequence[ProcessorCard]) -> None:
        """Show the assumed settings of a case as it was made."""
        self.beginResetModel()
        self._fields = [
            field for card in cards for field in card.fields if field.provenance == "assumed"
        ]
        self.endResetModel()

    def row_count(self) -> int:
        return len(self._fields)

    def cell(self, row: int, column: int) -> Cell:
        field = self._fields[row]
        if column == 0:
            owner = formats.one_line(field.owner).removesuffix("Compressor")
            return Cell(
                owner,
                aside=f" · {field.label}",
                tip=f"{field.owner}: {field.about}",
            )
        if column == 1:
            return Cell(told_value(field.value))
        return Cell(told_possible(field) or "not limited", "muted")


class GapListModel(RowTableModel):
    """One row for what is missing, with the steps from which on, or at which, it is."""

    COLUMNS = (
        Column("from step", 88, right=True, fixed=True),
        Column("what the recording does not hold", 0),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gaps: list[tuple[str, list[int | None]]] = []
        """What is missing, with its steps."""

    def show_case(self, case: Case | None) -> None:
        """Show the gaps of a case; those of one kind make one row."""
        self.beginResetModel()
        steps: dict[str, list[int | None]] = {}
        for gap in case.gaps if case is not None else ():
            steps.setdefault(gap.what, []).append(gap.step)
        self.gaps = list(steps.items())
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.gaps)

    def cell(self, row: int, column: int) -> Cell:
        what, steps = self.gaps[row]
        told = ["start" if step is None else formats.number(step) for step in steps]
        listed = f"at {', '.join(told)}" if len(steps) > 1 else ""
        if column == 0:
            more = f" +{len(steps) - 1:,}" if len(steps) > 1 else ""
            return Cell(told[0] + more, "muted", tip=listed)
        return Cell(formats.one_line(what), tip="\n".join(filter(None, (what, listed))))


def told_value(value: object) -> str:
    """Return the value of a setting as it is written in a form."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return formats.ratio(value)
    return formats.one_line(str(value))


def told_possible(field: SettingField) -> str:
    """Return the range of values with the same consequences; empty where it is not known."""
    if field.possible is None:
        return ""
    low, high = (
        formats.ratio(end) if field.kind == "ratio" else formats.number(end)
        for end in field.possible
    )
    return low if low == high else f"{low} – {high}"
