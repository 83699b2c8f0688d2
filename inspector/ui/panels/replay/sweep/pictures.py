"""Pictures of a sweep's rows: points by two figures, or a map of two settings."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.ui import formats, theme
from inspector.ui.models.replay.swept import Swept, SweptRow, told
from inspector.ui.models.replay.tables.comparison_table import money, percent
from inspector.ui.models.replay.tables.sweep_table import (
    FIGURES,
    short_name,
    told_figure,
    value_of,
)
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.fields.choice_box import ChoiceBox
from inspector.ui.widgets.plots.heat_map import HeatCell, HeatMap, Place
from inspector.ui.widgets.plots.scatter import ScatterPlot, ScatterPoint

_BY_COST, _BY_SIZE = "cost against retention", "peak against tokens sent"
_MAP = "map: "
_MAPPED = FIGURES[:4]


class SweepPictures(QWidget):
    """One picture at a time.

    Signals:
        row_chosen: a point or a cell was clicked; carries the row's place in the sweep.
    """

    row_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._swept: Swept | None = None
        self.choice = ChoiceBox("What the picture shows", (_BY_COST, _BY_SIZE))
        self.choice.setMinimumWidth(190)
        self.head = CellLine(right=True)
        self.scatter = ScatterPlot("Rows of the sweep as points")
        self.map = HeatMap("Rows of the sweep as a map of two settings")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.scatter)
        self._pages.addWidget(self.map)
        above = QHBoxLayout()
        above.setContentsMargins(0, 0, theme.GRID, 0)
        above.addWidget(self.choice)
        above.addWidget(self.head, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.GRID, 2, 0, 0)
        column.setSpacing(2)
        column.addLayout(above)
        column.addWidget(self._pages, 1)
        self.choice.currentTextChanged.connect(self._show)
        self.scatter.point_chosen.connect(self.row_chosen)
        self.map.cell_chosen.connect(self.row_chosen)

    def show_swept(self, swept: Swept | None) -> None:
        """Draw other rows; what is drawn of them stays where it can."""
        self._swept = swept
        maps = [f"{_MAP}{figure.title}" for figure in _MAPPED] if swept and swept.mapped else []
        names = [_BY_COST, _BY_SIZE, *maps]
        if names != [self.choice.itemText(at) for at in range(self.choice.count())]:
            chosen = self.choice.currentText()
            self.choice.blockSignals(True)
            self.choice.clear()
            self.choice.addItems(names)
            self.choice.setCurrentText(chosen if chosen in names else _BY_COST)
            self.choice.blockSignals(False)
        self._show()

    def show_last(self) -> None:
        """Turn to the last of the pictures: a map where there is one."""
        self.choice.setCurrentIndex(self.choice.count() - 1)

    def _show(self) -> None:
        swept, what = self._swept, self.choice.currentText()
        if swept is None:
            return
        mapped = what.startswith(_MAP)
        self._pages.setCurrentWidget(self.map if mapped else self.scatter)
        if mapped:
            self._show_map(swept, what.removeprefix(_MAP))
        else:
            self._show_points(swept, what == _BY_COST)

    def _show_points(self, swept: Swept, by_cost: bool) -> None:
        names = ("net_cost", "retention") if by_cost else ("peak_tokens", "tokens_sent")
        points = [
            ScatterPoint(
                value_of(row, names[0]) or 0.0,
                value_of(row, names[1]) or 0.0,
                row.cheapest if by_cost else row.smallest,
                _told_row(swept, row),
                row.conversation,
            )
            for row in swept.rows
        ]
        if by_cost:
            titles = ("net cost", "retention")
            self.scatter.show_points(
                points, titles, (lambda cost: money(cost, swept.currency), percent)
            )
        else:
            titles = ("peak window", "tokens sent")
            self.scatter.show_points(points, titles, (_rounded, _rounded))

    def _show_map(self, swept: Swept, title: str) -> None:
        figure = next(figure for figure in FIGURES if figure.title == title)
        across, up = swept.axes
        values = [value_of(row, figure.name) for row in swept.rows]
        known = [value for value in values if value is not None]
        low, high = min(known, default=0.0), max(known, default=0.0)
        cells: dict[Place, HeatCell] = {}
        for at, (row, value) in enumerate(zip(swept.rows, values, strict=True)):
            if value is None:
                continue
            place = tuple(list(axis.values).index(row.settings[axis.name]) for axis in (across, up))
            share = (value - low) / (high - low) if high > low else 0.5
            share = share if figure.more_is_better else 1 - share
            shown = told_figure(row, figure.name, "").strip()
            cells[place[0], place[1]] = HeatCell(at, share, shown)
        labels = [[told(value) for value in axis.values] for axis in (across, up)]
        self.map.show_cells(
            cells, labels[0], labels[1], (short_name(across.name), short_name(up.name))
        )


def _told_row(swept: Swept, row: SweptRow) -> str:
    set_to = "\n".join(
        f"{name} = {label}" for name, label in zip(swept.names, row.labels, strict=True) if label
    )
    figures = "\n".join(
        f"{figure.title}: {told_figure(row, figure.name, swept.currency)}" for figure in FIGURES
    )
    return f"{set_to}\n{figures}"


def _rounded(value: float) -> str:
    return formats.number(round(value))
