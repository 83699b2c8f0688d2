"""The Sweep tab: many settings at once, as a table, as points, and as a map of two settings.

A click on a row, a point or a cell puts its settings on the bench.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.replay.fields import SettingField
from inspector.ui import formats, theme
from inspector.ui.actions import Actions
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.sweep import ReplaySweep, Swept, SweptRow
from inspector.ui.models.replay.tables.comparison_table import money, percent
from inspector.ui.models.replay.tables.sweep_table import (
    FIGURES,
    SweepTableModel,
    short_name,
    told_figure,
    value_of,
)
from inspector.ui.models.row_table import Cell
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.choice_box import ChoiceBox
from inspector.ui.widgets.heat_map import HeatCell, HeatMap, Place
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.push_button import push_button
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.scatter import ScatterPlot, ScatterPoint
from inspector.ui.widgets.splitter import ThinSplitter

_NOTHING = "—"
_CAPACITY = "engine.context_window_tokens"
_BY_COST, _BY_SIZE = "cost against retention", "peak against tokens sent"
_MAP = "map: "
_ABOUT = (
    "Name one or two settings with their values and run every combination: 0.5:0.9:0.1 are steps, "
    "log:1:64:7 are ratios, 4,8,none is a list.\n"
    "The bundled study compares no compaction, masking, summary and a layered chain."
)


class AxisEditor(QWidget):
    """A setting and its values."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = ChoiceBox(f"{name} setting", ())
        self.setting.setMaximumWidth(240)
        self.values = QLineEdit()
        self.values.setAccessibleName(f"Values of the {name} setting")
        self.values.setPlaceholderText("start:stop:step or a,b,c")
        self.values.setFont(theme.content_font())
        self.values.setProperty("quiet", True)
        self.values.setMinimumWidth(60)
        self.values.setMaximumWidth(120)
        self._offers: dict[str, str] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID // 2)
        layout.addWidget(self.setting, 1)
        layout.addWidget(self.values)
        self.setting.currentTextChanged.connect(self._offer)

    def list_settings(self, offers: dict[str, str], optional: bool) -> None:
        """List settings with values to begin with; the choice stays where it can."""
        names = [_NOTHING] * optional + list(offers)
        if names == [self.setting.itemData(at) for at in range(self.setting.count())]:
            return
        chosen, typed = self.setting.currentData(), self.values.text()
        self._offers = offers
        self.setting.clear()
        for name in names:
            self.setting.addItem(short_name(name), name)
        if chosen in names:
            self.choose(chosen, typed)

    def axis(self) -> str:
        """Return the axis as it is written on the command line; empty where there is none."""
        name = self.setting.currentData()
        return "" if name in (None, _NOTHING) else f"{name}={self.values.text().strip()}"

    def choose(self, name: str, values: str) -> None:
        """Choose a setting and its values."""
        self.setting.setCurrentIndex(max(self.setting.findData(name), 0))
        self.values.setText(values)

    def _offer(self) -> None:
        self.values.setText(self._offers.get(self.setting.currentData(), ""))


class ReplaySweepTab(QWidget):
    """Axes at the top, rows at the left, a picture of them at the right."""

    def __init__(
        self,
        bench: ReplayBench,
        sweep: ReplaySweep,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._sweep = sweep
        self._actions = actions
        self.axes = (AxisEditor("first"), AxisEditor("second"))
        self.head = CellLine(right=True)
        self.progress = QProgressBar()
        self.fault = QLabel()
        self.table = SweepTableModel(self)
        self.view = RowView(self.table, "Rows of the sweep")
        self.picture = ChoiceBox("What the picture shows", (_BY_COST, _BY_SIZE))
        self.scatter = ScatterPlot("Rows of the sweep as points")
        self.map = HeatMap("Rows of the sweep as a map of two settings")
        self._pages, self._pictures = QStackedWidget(), QStackedWidget()
        self.note = Note()
        self._build(actions)
        actions["sweep"].triggered.connect(self.start)
        actions["study"].triggered.connect(sweep.study)
        actions["stop_sweep"].triggered.connect(sweep.stop)
        self.view.clicked.connect(lambda index: self._load(index.row()))
        self.view.activated.connect(lambda index: self._load(index.row()))
        self.view.horizontalHeader().setSectionsClickable(True)
        self.view.horizontalHeader().sectionClicked.connect(self.table.sort_by)
        self.scatter.point_chosen.connect(self._load_listed)
        self.map.cell_chosen.connect(self._load_listed)
        self.picture.currentTextChanged.connect(self._show_picture)
        sweep.rows_changed.connect(self._show_rows)
        sweep.progressed.connect(self._show_progress)
        sweep.refused.connect(self._tell_fault)
        bench.settings_changed.connect(self._list_settings)
        bench.state_changed.connect(self._enable)
        self._show_rows()
        self._show_progress()

    def start(self) -> None:
        """Run every combination of the axes."""
        self._tell_fault("")
        self._sweep.start([axis for editor in self.axes if (axis := editor.axis())])

    def poses(self) -> tuple[str, ...]:
        """Return the states that pictures are taken of."""
        return "points", "map", "study"

    def pose(self, name: str) -> None:
        """Bring a state about, as far as it needs a sweep."""
        if name == "study":
            self._sweep.study()
        elif name == "points":
            offered = self.axes[0].setting
            for at, values in enumerate(("0.5:0.9:0.1", "0.1,0.2,0.3")):
                self.axes[at].choose(offered.itemData(at), values)
            self.start()
        else:
            self.picture.setCurrentIndex(self.picture.count() - 1)

    def _build(self, actions: Actions) -> None:
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(3)
        self.progress.setAccessibleName("Progress of the sweep")
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps)
        self.fault.setForegroundRole(self.palette().ColorRole.BrightText)
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setWordWrap(True)
        self.fault.hide()
        self.fault.setContentsMargins(12, 0, 12, 2)
        head = QHBoxLayout()
        head.setContentsMargins(12, 3, theme.GRID, 3)
        head.setSpacing(theme.GRID)
        for editor in self.axes:
            head.addWidget(editor, 1)
        for name, text in (("sweep", "Sweep"), ("stop_sweep", "Stop"), ("study", "Run the study")):
            head.addWidget(push_button(actions[name], text))
        self._pictures.addWidget(self.scatter)
        self._pictures.addWidget(self.map)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(theme.GRID, 2, 0, 0)
        column.setSpacing(2)
        above = QHBoxLayout()
        above.setContentsMargins(0, 0, theme.GRID, 0)
        self.picture.setMinimumWidth(190)
        above.addWidget(self.picture)
        above.addWidget(self.head, 1)
        column.addLayout(above)
        column.addWidget(self._pictures, 1)
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.view)
        split.addWidget(right)
        split.setSizes([600, 400])
        self._pages.addWidget(self.note)
        self._pages.addWidget(split)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.fault)
        layout.addWidget(self.progress)
        layout.addWidget(self._pages, 1)

    def _list_settings(self) -> None:
        bench = self._bench
        on = {link.name for link in bench.links if link.on}
        offers = {
            f"{field.owner}.{field.name}": _offer(field)
            for card in bench.cards
            if card.name in on
            for field in card.fields
            if field.kind in ("ratio", "integer", "number", "switch", "choice")
        }
        if bench.base_capacity:
            half = bench.base_capacity // 2
            offers[_CAPACITY] = f"{half}:{2 * bench.base_capacity}:{max(half, 1)}"
        for editor, optional in zip(self.axes, (False, True), strict=True):
            editor.list_settings(offers, optional)

    def _show_rows(self) -> None:
        swept = self._sweep.swept
        columns = len(self.table.COLUMNS)
        self.table.show_swept(swept)
        if columns != len(self.table.COLUMNS):
            self.view.lay_out_columns()
        some = swept is not None and bool(swept.rows)
        self._pages.setCurrentIndex(1 if some else 0)
        if not some:
            self.note.say("Which settings are best?", _ABOUT)
        self._list_pictures(swept)
        self._show_picture()
        if swept is not None and swept.failed:
            count = formats.plural(len(swept.failed), "combination")
            self._tell_fault(f"{count} could not be run: {formats.visible(swept.failed[0])}")

    def _list_pictures(self, swept: Swept | None) -> None:
        two = swept is not None and len(swept.axes) == 2
        maps = [f"{_MAP}{figure.title}" for figure in FIGURES[:4]] if two else []
        names = [_BY_COST, _BY_SIZE, *maps]
        if names != [self.picture.itemText(at) for at in range(self.picture.count())]:
            chosen = self.picture.currentText()
            self.picture.blockSignals(True)
            self.picture.clear()
            self.picture.addItems(names)
            self.picture.setCurrentText(chosen if chosen in names else _BY_COST)
            self.picture.blockSignals(False)

    def _show_picture(self) -> None:
        swept, what = self._sweep.swept, self.picture.currentText()
        if swept is None:
            return
        mapped = what.startswith(_MAP)
        self._pictures.setCurrentWidget(self.map if mapped else self.scatter)
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
            told = told_figure(row, figure.name, "").strip()
            cells[place[0], place[1]] = HeatCell(at, share, told)
        labels = [[_short(value) for value in axis.values] for axis in (across, up)]
        self.map.show_cells(
            cells, labels[0], labels[1], (short_name(across.name), short_name(up.name))
        )

    def _show_progress(self) -> None:
        sweep, swept = self._sweep, self._sweep.swept
        progress = sweep.progress
        running = sweep.running
        self.progress.setVisible(running)
        self.progress.setRange(0, progress.total if progress is not None else 0)
        cells = []
        if progress is not None:
            self.progress.setValue(progress.done)
            cells.append(Cell(f"{progress.done:,} of {progress.total:,} rows", "muted"))
            if progress.seconds_left is not None:
                left = formats.duration(progress.seconds_left)
                cells.append(Cell(f"{left} left", "accent"))
        elif running:
            cells.append(Cell("starting a process for each core", "muted"))
        elif swept is not None:
            cells.append(Cell(formats.plural(len(swept.rows), "row"), "muted"))
            if swept.rows_per_second:
                cells.append(Cell(f"{swept.rows_per_second:.1f} a second", "muted"))
        self.head.show_cells(cells)
        self._enable()

    def _enable(self) -> None:
        running = self._sweep.running
        self._actions["sweep"].setEnabled(not running and self._bench.state == "ready")
        self._actions["study"].setEnabled(not running)
        self._actions["stop_sweep"].setEnabled(running)

    def _tell_fault(self, told: str) -> None:
        self.fault.setText(formats.one_line(told))
        self.fault.setVisible(bool(told))
        self._enable()

    def _load(self, row: int) -> None:
        if 0 <= row < len(self.table.rows):
            self._sweep.load(self.table.rows[row])

    def _load_listed(self, at: int) -> None:
        """Load a row by its place in the sweep, and show it in the table."""
        swept = self._sweep.swept
        if swept is None:
            return
        row = swept.rows[at]
        listed = next(i for i, other in enumerate(self.table.rows) if other is row)
        self.view.show_row(listed)
        self._sweep.load(row)


def _offer(field: SettingField) -> str:
    """Return values to begin with."""
    if field.kind == "ratio":
        return "0.5:0.9:0.1"
    if field.kind == "switch":
        return "true,false"
    if field.kind == "choice":
        return ",".join(field.choices)
    value = field.value or 0
    return f"0:{max(2 * int(value), 8)}:{max(int(value) // 2, 2)}"


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


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
