"""The gates of the same decision in two runs: one row a gate, verdict and figures of each side."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.trace.decision import Decision
from inspector.ui import formats
from inspector.ui.models.detail.gate_list import LIMIT, VALUE, GateListModel
from inspector.ui.models.row_table import Cell, Column, RowTableModel, retitled


class GatePairsModel(RowTableModel):
    """Gate, then what was measured and its limit, of the baseline and of the candidate."""

    COLUMNS: tuple[Column, ...] = (
        Column("gate", 84),
        Column("baseline", 0, right=True, fixed=True, tip="Measured/limit"),
        Column("candidate", 0, right=True, fixed=True, tip="Measured/limit"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gates: list[str] = []
        self._sides: tuple[_Side, ...] = ()

    def show_decisions(self, left: Decision | None, right: Decision | None, baseline: str) -> None:
        """Show the gates of another pair.

        Args:
            left: The baseline's decision; None where it decided nothing.
            right: The candidate's.
            baseline: What the baseline is called.
        """
        self.beginResetModel()
        self._sides = tuple(_Side(decision) for decision in (left, right))
        self._gates = list(dict.fromkeys(gate for side in self._sides for gate in side.places))
        self.COLUMNS = retitled(self.COLUMNS, 1, baseline)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self._gates)

    def cell(self, row: int, column: int) -> Cell:
        gate = self._gates[row]
        if column == 0:
            return Cell(formats.one_line(gate.replace("_", " ")))
        return self._sides[column - 1].cell(gate)


class _Side:
    """The gates of one decision, by name."""

    def __init__(self, decision: Decision | None) -> None:
        self._list = GateListModel()
        if decision is not None:
            self._list.show_decision(decision)
        self.places = {gate.gate: at for at, gate in enumerate(self._list.gates)}

    def cell(self, gate: str) -> Cell:
        """Return the verdict, what was measured, and its limit."""
        at = self.places.get(gate)
        if at is None:
            return Cell("")
        value, limit = (self._list.cell(at, column) for column in (VALUE, LIMIT))
        known = limit.text not in ("", formats.UNKNOWN)
        text = f"{value.text}/{limit.text}" if known else value.text
        return value._replace(text=text, mark=self._list.verdict(at))
