"""The Sweep tab: many settings at once, as a table, as points, and as a map of two settings.

A click on a row, a point or a cell puts its settings on the bench.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.ui import formats, theme
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.sweep import ReplaySweep, SweepPlan
from inspector.ui.models.replay.swept import SweptRow
from inspector.ui.models.replay.tables.sweep_table import SweepTableModel
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.perspective import Desk
from inspector.ui.panels.replay.sweep.axis_editor import AxisEditor, offers_of
from inspector.ui.panels.replay.sweep.options import SweepOptions
from inspector.ui.panels.replay.sweep.pictures import SweepPictures
from inspector.ui.widgets.fields.fault_label import FaultLabel
from inspector.ui.widgets.note import Note
from inspector.ui.widgets.push_button import push_button
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter
from inspector.ui.widgets.thin_progress import ThinProgress

_ABOUT = (
    "Name one or two settings with their values and run every combination: 0.5:0.9:0.1 are steps, "
    "log:1:64:7 are ratios, 4,8,none is a list.\n"
    "The bundled study compares no compaction, masking, summary and a layered chain."
)


class ReplaySweepTab(QWidget):
    """Axes at the top, rows at the left, a picture of them at the right."""

    def __init__(
        self,
        bench: ReplayBench,
        sweep: ReplaySweep,
        desk: Desk,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._sweep = sweep
        self._actions = actions = desk.actions
        self.axes = (AxisEditor("first", optional=False), AxisEditor("second", optional=True))
        self.options = SweepOptions(bench, desk)
        self.progress = ThinProgress("Progress of the sweep")
        self.fault = FaultLabel()
        self.table = SweepTableModel(self)
        self.view = RowView(self.table, "Rows of the sweep")
        self.pictures = SweepPictures()
        self.note = Note()
        self._pages = QStackedWidget()
        self._build()
        actions["sweep"].triggered.connect(self.start)
        actions["study"].triggered.connect(self.study)
        actions["stop_sweep"].triggered.connect(sweep.stop)
        self.view.clicked.connect(lambda index: self._load(self.table.rows[index.row()]))
        self.view.activated.connect(lambda index: self._load(self.table.rows[index.row()]))
        self.view.horizontalHeader().setSectionsClickable(True)
        self.view.horizontalHeader().sectionClicked.connect(self.table.sort_by)
        self.pictures.row_chosen.connect(self._load_listed)
        sweep.rows_changed.connect(self._show_rows)
        sweep.progressed.connect(self._show_progress)
        for refused in (sweep.refused, self.options.refused):
            refused.connect(self._tell_fault)
        bench.settings_changed.connect(self._list_settings)
        bench.state_changed.connect(lambda: self._tell_fault(""))
        self._show_rows()
        self._show_progress()

    def start(self) -> None:
        """Run every combination of the axes."""
        self._tell_fault("")
        options = self.options
        self._sweep.start(
            SweepPlan(
                tuple(axis for editor in self.axes if (axis := editor.axis())),
                tuple(options.cases),
                options.sample_size(),
                options.address(),
            )
        )

    def study(self) -> None:
        """Run the bundled study."""
        self._tell_fault("")
        self._sweep.study(self.options.address())

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
            self.pictures.show_last()

    def _build(self) -> None:
        self.fault.setContentsMargins(12, 0, 12, 2)
        axes, runs = QHBoxLayout(), QHBoxLayout()
        for editor in self.axes:
            axes.addWidget(editor, 1)
        runs.addWidget(self.options, 1)
        for name, text in (("sweep", "Sweep"), ("stop_sweep", "Stop"), ("study", "Run the study")):
            runs.addWidget(push_button(self._actions[name], text))
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.view)
        split.addWidget(self.pictures)
        split.setSizes([600, 400])
        self._pages.addWidget(self.note)
        self._pages.addWidget(split)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for line in (axes, runs):
            line.setContentsMargins(theme.GRID, 3, theme.GRID, 0)
            line.setSpacing(theme.GRID)
            layout.addLayout(line)
        layout.addSpacing(3)
        for widget in (self.fault, self.progress):
            layout.addWidget(widget)
        layout.addWidget(self._pages, 1)

    def _list_settings(self) -> None:
        offers = offers_of(self._bench.settings)
        for editor in self.axes:
            editor.list_settings(offers)

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
        self.pictures.show_swept(swept)
        if swept is not None and swept.failed:
            count = formats.plural(len(swept.failed), "combination")
            self._tell_fault(f"{count} could not be run: {formats.visible(swept.failed[0])}")

    def _show_progress(self) -> None:
        sweep, swept = self._sweep, self._sweep.swept
        progress = sweep.progress
        self.progress.setVisible(sweep.running)
        self.progress.setRange(0, progress.total if progress is not None else 0)
        cells = []
        if progress is not None:
            self.progress.setValue(progress.done)
            cells.append(Cell(f"{progress.done:,} of {progress.total:,} rows", "muted"))
            if progress.seconds_left is not None:
                left = formats.duration(progress.seconds_left)
                cells.append(Cell(f"{left} left", "accent"))
        elif sweep.running:
            where = f"on {formats.one_line(sweep.scheduler)}" if sweep.scheduler else "on each core"
            cells.append(Cell(f"starting {where}", "muted"))
        elif swept is not None:
            cells.append(Cell(formats.plural(len(swept.rows), "row"), "muted"))
            if swept.result.left:
                cells.append(Cell(f"{swept.result.left:,} left: run it again to go on", "accent"))
            elif swept.rows_per_second:
                cells.append(Cell(f"{swept.rows_per_second:.1f} a second", "muted"))
        self.pictures.head.show_cells(cells)
        self._enable()

    def _enable(self) -> None:
        running = self._sweep.running
        self._actions["sweep"].setEnabled(not running and self._bench.state == "ready")
        self._actions["study"].setEnabled(not running)
        self._actions["stop_sweep"].setEnabled(running)

    def _tell_fault(self, told: str) -> None:
        self.fault.tell(formats.one_line(told))
        self._enable()

    def _load(self, row: SweptRow) -> None:
        """Put the settings of a row on the bench."""
        if self._bench.state == "ready":
            self._sweep.load(row)
        else:
            self._tell_fault("Open a session or a case: there is nothing to set like this yet.")

    def _load_listed(self, at: int) -> None:
        """Load a row by its place in the sweep, and show it in the table."""
        swept = self._sweep.swept
        if swept is None:
            return
        row = swept.rows[at]
        listed = next(i for i, other in enumerate(self.table.rows) if other is row)
        self.view.show_row(listed)
        self._load(row)
