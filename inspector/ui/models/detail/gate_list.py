"""The gates of one decision as rows, in the order in which the engine tests them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.trace.decision import Decision, Gate
from inspector.ui import formats
from inspector.ui.models.detail.explanation import GATES, told_value
from inspector.ui.models.marks import BASIS_MARKS, Mark, Tone
from inspector.ui.models.row_table import Cell, Column, RowTableModel

GATE, ASKS, VALUE, LIMIT, MARGIN, UNIT, SCALE, BASIS = range(8)

_PASSED = Mark("check", "better", "passed")
_STOPPED = Mark("cross", "text", "stopped here")
_FAILED = Mark("cross", "failure", "stopped here")
_NOT_REACHED = Mark("dash", "faint", "not reached")
_NOT_SO = Mark("dash", "muted", "not so")
_UNKNOWN = Mark("question", "muted", "not known")


class GateListModel(RowTableModel):
    """Verdict, question, value against limit, and what the verdict rests on."""

    COLUMNS = (
        Column("gate", 168),
        Column("asks whether", 272),
        Column("measured", 96, right=True, fixed=True),
        Column("limit", 88, right=True, fixed=True),
        Column("margin", 88, right=True, fixed=True, tip="Measured minus limit"),
        Column("unit", 88),
        Column("", 0),
        Column("basis", 96),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gates: list[Gate] = []
        self._estimated = True
        self._deciding: int | None = None
        self._failed = False

    def show_decision(self, decision: Decision) -> None:
        """Show the gates of a decision."""
        self.beginResetModel()
        self.gates = decision.gates
        self._estimated = decision.tokens is None or formats.is_estimate(decision.tokens.method)
        self._deciding = deciding_gate(decision)
        self._failed = decision.outcome in ("gave_up", "cut")
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.gates)

    def reached(self, row: int) -> bool:
        """Whether the engine came as far as this gate."""
        return self._deciding is None or row <= self._deciding

    def fill(self, row: int) -> tuple[float, float] | None:
        """Return value and limit as shares of the larger one's 1.25 fold, for a small scale."""
        gate = self.gates[row]
        if gate.value is None or not gate.limit or gate.value < 0 or gate.limit < 0:
            return None
        full = 1.25 * max(gate.value, gate.limit)
        return gate.value / full, gate.limit / full

    def verdict(self, row: int) -> Mark:
        """Return the mark of a gate's verdict."""
        gate = self.gates[row]
        if gate.passed is None:
            return _UNKNOWN if self.reached(row) else _NOT_REACHED
        if gate.passed:
            return _PASSED
        if self._deciding is None:
            return _NOT_SO
        return _FAILED if self._failed else _STOPPED

    def cell(self, row: int, column: int) -> Cell:
        gate = self.gates[row]
        quiet: Tone = "text" if self.reached(row) else "faint"
        if column == GATE:
            return Cell(formats.one_line(gate.gate.replace("_", " ")), quiet, self.verdict(row))
        if column == ASKS:
            return Cell(GATES.get(gate.gate, ""), "muted" if self.reached(row) else "faint")
        if column == BASIS:
            return (
                Cell(gate.basis, "muted", BASIS_MARKS[gate.basis])
                if self.reached(row)
                else Cell("")
            )
        if not self.reached(row):
            return Cell("not reached" if column == VALUE else "", "faint")
        if column == VALUE:
            tone: Tone = "muted" if gate.value is None else "text"
            return Cell(told_value(gate, gate.value, self._estimated), tone)
        if column == LIMIT:
            return Cell(
                told_value(gate, gate.limit, self._estimated and gate.gate == "benefit"), "muted"
            )
        if column == MARGIN:
            known = gate.passed is not None and gate.margin is not None
            return Cell(formats.signed(gate.margin), "text" if known else "muted")
        return Cell(formats.one_line(gate.unit or ""), "muted") if column == UNIT else Cell("")


def deciding_gate(decision: Decision) -> int | None:
    """Return the position of the gate that ended it: the first from which on none was passed.

    None when there is none, or when the files leave the cause open; then no gate may be shown as
    one that was not reached. An update of the notes has the first gate only.
    """
    if decision.phase in ("should_update", "update"):
        return 0
    last = max((at for at, gate in enumerate(decision.gates) if gate.passed), default=-1)
    failed = (at for at, gate in enumerate(decision.gates) if gate.passed is False and at > last)
    return next(failed, None)
