"""The rows of a sweep: what was set, what it came to, and which are on a Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject

from inspector.replay.settings.fields import in_words
from inspector.ui import formats
from inspector.ui.models.marks import Mark
from inspector.ui.models.replay.swept import Swept, SweptRow
from inspector.ui.models.replay.tables.comparison_table import money, percent
from inspector.ui.models.row_table import Cell, Column, RowTableModel

_CHEAPEST = Mark("diamond", "accent", "none costs less and retains more")
_SMALLEST = Mark("diamond", "accent", "none has a lower peak and sends less", hollow=True)
_NARROWEST, _LETTER, _ROOM = 84, 6.5, 18
"""Pixels of a column that tells what was set: at least, for each letter of its title, and more."""


class SweptFigure(NamedTuple):
    """A figure of a row."""

    name: str
    title: str
    width: int
    more_is_better: bool = False


FIGURES = (
    SweptFigure("net_cost", "net cost", 76),
    SweptFigure("retention", "retention", 76, more_is_better=True),
    SweptFigure("tokens_sent", "tokens sent", 98),
    SweptFigure("peak_tokens", "peak", 68),
    SweptFigure("compressions", "compr.", 58),
    SweptFigure("model_calls", "calls", 52),
    SweptFigure("overflow_steps", "over", 52),
)


class SweepTableModel(RowTableModel):
    """One row a combination, in the order of a column."""

    COLUMNS: tuple[Column, ...] = (Column("", 0),)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._swept: Swept | None = None
        self._sorted_by: int | None = None
        self._descending = False
        self.rows: list[SweptRow] = []

    def show_swept(self, swept: Swept | None) -> None:
        """Show other rows, in the order that was chosen."""
        self.beginResetModel()
        self._swept = swept
        self.rows = list(swept.rows) if swept is not None else []
        names = swept.names if swept is not None else ()
        labels = (
            Column(title, _width(title), tip=name)
            for title, name in zip(_titles(names), names, strict=True)
        )
        self.COLUMNS = (
            Column("", 26, tip="Filled: none costs less and keeps more. Hollow: none is smaller."),
            *labels,
            *(Column(f.title, f.width, right=True, fixed=True) for f in FIGURES),
        )
        self._sort()
        self.endResetModel()

    def sort_by(self, column: int) -> None:
        """Sort by a column, the other way round when it is the same again."""
        self.beginResetModel()
        self._descending = column == self._sorted_by and not self._descending
        self._sorted_by = column
        self._sort()
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> Cell:
        swept = self.rows[row]
        if column == 0:
            hollow = _SMALLEST if swept.smallest else None
            return Cell("", mark=_CHEAPEST if swept.cheapest else hollow)
        if column <= len(swept.labels):
            return Cell(formats.one_line(swept.labels[column - 1]) or formats.UNKNOWN)
        figure = FIGURES[column - 1 - len(swept.labels)]
        return Cell(told_figure(swept, figure.name, "").strip())

    def _sort(self) -> None:
        column, swept = self._sorted_by, self._swept
        if column is None or swept is None:
            return
        figure = column - 1 - len(swept.names)
        if column == 0:
            self.rows.sort(key=lambda row: (not row.cheapest, not row.smallest))
        elif figure < 0:
            self.rows.sort(key=lambda row: _natural(row.labels[column - 1]))
        elif figure < len(FIGURES):
            self.rows.sort(key=lambda row: value_of(row, FIGURES[figure].name) or 0)
        if self._descending:
            self.rows.reverse()


def value_of(row: SweptRow, name: str) -> float | None:
    """Return a figure of a row."""
    value: float | None = getattr(row.figures, name)
    return value


def told_figure(row: SweptRow, name: str, currency: str) -> str:
    """Return a figure of a row as it is written."""
    value = value_of(row, name)
    if value is None:
        return formats.UNKNOWN
    if name == "retention":
        return percent(value)
    return money(value, currency) if name == "net_cost" else formats.number(value)


def _titles(names: Sequence[str]) -> list[str]:
    """Return the fields alone where that tells them apart, else short names."""
    fields = [in_words(name.rpartition(".")[2]) for name in names]
    return fields if len(set(fields)) == len(fields) else [short_name(name) for name in names]


def _width(title: str) -> int:
    return round(max(_NARROWEST, _ROOM + _LETTER * len(title)))


def short_name(name: str) -> str:
    """Return the name of a setting in words."""
    owner, _, field = name.partition(".")
    return f"{owner.removesuffix('Compressor')} {in_words(field)}" if field else name


def _natural(label: str) -> tuple[float, str]:
    try:
        return float(label), ""
    except ValueError:
        return float("inf"), label
