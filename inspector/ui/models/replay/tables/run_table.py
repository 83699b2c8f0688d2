"""The kept runs: one row each, the case itself first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject

from inspector.replay.cases.turn import Turn
from inspector.ui import formats
from inspector.ui.models.marks import Mark
from inspector.ui.models.replay.runs import KeptRun, ReplayRuns
from inspector.ui.models.replay.tables.assumption_list import told_value
from inspector.ui.models.replay.tables.comparison_table import money, percent
from inspector.ui.models.replay.tables.sweep_table import short_name
from inspector.ui.models.row_table import Cell, Column, RowTableModel

_HERE = Mark("diamond", "accent", "the candidate comes from it")
_COMPARED = Mark("diamond", "accent", "compared with", hollow=True)
_FIGURES = ("tokens_sent", "peak_tokens", "compressions", "net_cost", "retention")


class RunTableModel(RowTableModel):
    """Name, parent, what was set, figures."""

    COLUMNS = (
        Column("", 26, tip="Filled: the candidate comes from it. Hollow: that is compared with."),
        Column("run", 74),
        Column("comes from", 88),
        Column("what is otherwise", 0),
        Column("tokens sent", 92, right=True, fixed=True),
        Column("peak", 72, right=True, fixed=True),
        Column("compr.", 60, right=True, fixed=True),
        Column("net cost", 84, right=True, fixed=True),
        Column("retention", 80, right=True, fixed=True),
    )

    def __init__(self, runs: ReplayRuns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._shown = 1
        runs.changed.connect(self._relist)

    def run_at(self, row: int) -> KeptRun | None:
        """Return the run of a row; None for the case itself."""
        return self._runs.runs[row - 1] if row else None

    def row_count(self) -> int:
        return len(self._runs.runs) + 1

    def cell(self, row: int, column: int) -> Cell:
        run = self.run_at(row)
        here = run is self._runs.current
        if column == 0:
            compared = _COMPARED if self._runs.is_compared(run) else None
            return Cell("", mark=_HERE if here else compared)
        if column == 1:
            return Cell(run.id if run is not None else "the case", "accent" if here else "text")
        if column == 2:
            return Cell("" if run is None else run.parent or "the case", "muted")
        if column == 3:
            return Cell("" if run is None else _told(run))
        figures = self._runs.case_figures if run is None else run.figures
        value = figures.get(_FIGURES[column - 4])
        if value is None:
            return Cell(formats.UNKNOWN, "faint")
        if column == 7:
            return Cell(money(value, "").strip())
        return Cell(percent(value) if column == 8 else formats.number(value))

    def _relist(self) -> None:
        """Follow the runs; a row that is selected stays so."""
        if self._shown == self.row_count():
            last = len(self.COLUMNS) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(self._shown - 1, last))
            return
        self.beginResetModel()
        self._shown = self.row_count()
        self.endResetModel()


def _told(run: KeptRun) -> str:
    """Return what a run has otherwise, in a line."""
    setup = run.setup
    parts = [f"from step {turn.step:,}: {_told_turn(turn)}" for turn in setup.turns]
    if setup.links is not None:
        chain = ", ".join(link.name.removesuffix("Compressor") for link in setup.links if link.on)
        parts.append(f"chain {chain or 'empty'}")
    parts += _told_settings({f"{key.owner}.{key.name}": v for key, v in setup.edits.items()})
    named = (
        ("capacity", setup.capacity),
        ("counter", setup.counter),
        ("model", setup.model),
        ("summaries of", setup.summary_model),
        ("canaries", setup.canaries or None),
    )
    parts += [f"{name} {value}" for name, value in named if value is not None]
    return formats.one_line(" · ".join(parts))


def _told_turn(turn: Turn) -> str:
    changed = [formats.plural(len(turn.messages), "message")] if turn.messages else []
    return ", ".join([*changed, *_told_settings(turn.settings)])


def _told_settings(settings: Mapping[str, Any]) -> list[str]:
    return [f"{short_name(name)} {told_value(value)}" for name, value in settings.items()]
