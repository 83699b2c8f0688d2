"""The Replay perspective: what other settings would have done, found out by running the engine.

The chain with its settings stands at the left, the curves of baseline and candidate at the right,
and below them what both came to, decision by decision. Whatever is set is replayed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from inspector.replay.detect import is_case, is_project
from inspector.trace.recording import Recording
from inspector.ui import formats, theme
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.judge import ReplayJudge
from inspector.ui.models.replay.runs import ReplayRuns
from inspector.ui.models.replay.sweep import ReplaySweep
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.perspective import Desk, Perspective, Picture, Status
from inspector.ui.panels.replay.chain.panel import ReplayChainPanel
from inspector.ui.panels.replay.chart import ReplayChartPanel
from inspector.ui.panels.replay.commands import RUNS, ReplayCommands
from inspector.ui.panels.replay.note import ReplayNotePanel
from inspector.ui.panels.replay.sweep.tab import ReplaySweepTab
from inspector.ui.panels.replay.tabs.assumptions import ReplayAssumptionsTab
from inspector.ui.panels.replay.tabs.comparison import ReplayComparisonTab
from inspector.ui.panels.replay.tabs.compressions import ReplayCompressionsTab
from inspector.ui.panels.replay.tabs.decisions import ReplayDecisionsTab
from inspector.ui.panels.replay.tabs.runs import ReplayRunsTab
from inspector.ui.panels.replay.tabs.windows import ReplayWindowsTab
from inspector.ui.widgets.confirmation import confirm
from inspector.ui.widgets.push_button import menu_button, push_button
from inspector.ui.widgets.splitter import ThinSplitter

_LAYOUT = "replay/layout"
_CHAIN_WIDTH = 348
_NARROWEST = 260
"""Pixels that the tabs may shrink to, whatever stands in their heads."""
_CHART_SHARE = 0.42
_SEEN_HERE = (
    *RUNS,
    "undo",
    "redo",
    "reset_settings",
    "pick_threshold",
    "raise_threshold",
    "lower_threshold",
    "only_differing",
    "branch",
    "keep_run",
    "compare_run",
    "ask_model",
    "canaries",
    "sweep",
    "study",
)
"""Actions that turn to the perspective, as that is where one sees what they do."""
_POSED = 0.18
"""By how much the pictures lower a threshold, as a share of the capacity."""


class ReplayPerspective(Perspective):
    """What would have been better."""

    title = "Replay"
    key = "Ctrl+2"

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.bench = ReplayBench(desk.worker, desk.engine, self)
        self.judge = ReplayJudge(self.bench, desk.engine, self)
        self.selection = AlignedSelection(self.bench, self)
        self.chain = ReplayChainPanel(self.bench, desk.actions)
        self.chart = ReplayChartPanel(self.bench, self.selection)
        self.comparison = ReplayComparisonTab(self.bench, self.judge, self.selection, desk.actions)
        self.decisions = ReplayDecisionsTab(self.bench, self.selection)
        self.compressions = ReplayCompressionsTab(self.bench, self.judge, self.selection)
        self.windows = ReplayWindowsTab(self.bench, self.selection, desk.actions)
        self.runs = ReplayRuns(self.bench, self.judge, self)
        self.runs_tab = ReplayRunsTab(self.runs, desk.actions)
        self.sweep = ReplaySweep(self.bench, self)
        self.sweep_tab = ReplaySweepTab(self.bench, self.sweep, desk)
        self.assumptions = ReplayAssumptionsTab(self.bench)
        self.tabs: dict[str, QWidget] = {
            "Comparison": self.comparison,
            "Decisions": self.decisions,
            "Windows": self.windows,
            "Compressions": self.compressions,
            "Sweep": self.sweep_tab,
            "Runs": self.runs_tab,
            "Assumptions": self.assumptions,
        }
        self.bar = QTabBar()
        self.note = ReplayNotePanel(self.bench, desk.document, desk.actions)
        self.commands = ReplayCommands(desk, self.bench, self.runs, self.selection, self)
        self._done = ""
        self._pages = QStackedWidget()
        self._columns = ThinSplitter(Qt.Orientation.Horizontal)
        self._rows = ThinSplitter(Qt.Orientation.Vertical)
        self._lay_out()
        self._connect()
        self._tell_state()

    def take(self, paths: Sequence[str]) -> bool:
        if len(paths) != 1:
            return False
        path = Path(paths[0])
        if is_project(path):
            self._replace(partial(self.bench.take_project, path, self.runs.take_project))
        elif is_case(path):
            self._replace(partial(self.bench.take_file, path))
        else:
            return False
        return True

    def start(self) -> None:
        self.chart.load_chart()

    def step(self, direction: int, fired_only: bool = False) -> None:
        self.selection.move(direction, fired_only)

    def can_step(self) -> bool:
        return self.bench.state == "ready"

    def turn_tab(self, direction: int) -> None:
        self.bar.setCurrentIndex((self.bar.currentIndex() + direction) % self.bar.count())

    def zoom_out(self) -> None:
        self.chart.zoom_out()

    def status(self) -> Status:
        bench = self.bench
        left = []
        if bench.state in ("ready", "preparing"):
            kind = "replay of" if bench.recording is not None else "case"
            left.append(Cell(f"{kind} {formats.one_line(bench.name)}"))
        if bench.settings.edits:
            left.append(Cell(f"{bench.settings.edits} edited", "accent"))
        if self._done:
            left.append(Cell(formats.one_line(self._done), "muted"))
        return Status(left, [Cell("nothing recorded is changed", "muted")])

    def unsaved(self) -> str:
        if not self.runs.unsaved:
            return ""
        return f"{formats.plural(len(self.runs.runs), 'kept run')} not saved as a project"

    def close_down(self) -> None:
        self.sweep.close()

    def save_layout(self, settings: QSettings) -> None:
        self.commands.save(settings)
        settings.setValue(_LAYOUT, [self._columns.saveState(), self._rows.saveState()])

    def restore_layout(self, settings: QSettings) -> None:
        self.commands.restore(settings)
        kept = settings.value(_LAYOUT)
        parts = (self._columns, self._rows)
        if not (isinstance(kept, list) and len(kept) == len(parts)):
            self.reset_layout()
            return
        for part, state in zip(parts, kept, strict=True):
            if not (isinstance(state, QByteArray) and part.restoreState(state)):
                self.reset_layout()

    def reset_layout(self) -> None:
        """Give every part its first size."""
        self._columns.setSizes([_CHAIN_WIDTH, max(self.width() - _CHAIN_WIDTH, 1)])
        chart = int(self.height() * _CHART_SHARE)
        self._rows.setSizes([chart, max(self.height() - chart, 1)])

    def pictures(self) -> Iterator[Picture]:
        bench = self.bench
        some = bench.state != "empty" or self._selected() is not None
        yield Picture("recorded" if some else "empty", self._pose_unedited, self._is_settled)
        if bench.state != "ready":
            return
        for at, title in enumerate(self.tabs):
            yield Picture(title.lower(), partial(self._pose, at), self._is_settled)
        for name in self.sweep_tab.poses():
            pose = partial(self._pose_sweep, name)
            yield Picture(f"sweep-{name}", pose, lambda: not self.sweep.running)
        bench.settings.reset()

    def _pose_unedited(self) -> None:
        if self.bench.state == "ready":
            self.bench.settings.reset()

    def _pose_sweep(self, name: str) -> None:
        self._turn_to("Sweep")
        self.sweep_tab.pose(name)

    def _is_settled(self) -> bool:
        bench = self.bench
        if bench.state == "preparing":
            return False
        judged = self.judge.result is not None or bool(self.judge.failure)
        return bench.progress is None and not bench.stale and (bench.state != "ready" or judged)

    def _pose(self, at: int) -> None:
        """Turn to a tab, with the first threshold lowered."""
        self.bar.setCurrentIndex(at)
        for threshold in self.bench.settings.thresholds(as_set=False).values():
            self.bench.settings.edit(threshold.key, round(max(threshold.ratio - _POSED, 0.1), 2))
            return

    def _lay_out(self) -> None:
        self.bar.setAccessibleName("Views of the comparison")
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        pages = QStackedWidget()
        for title, tab in self.tabs.items():
            self.bar.addTab(title)
            pages.addWidget(tab)
        self.bar.currentChanged.connect(pages.setCurrentIndex)
        below = QWidget()
        below.setMinimumWidth(_NARROWEST)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head())
        column.addWidget(pages, 1)
        self._rows.addWidget(self.chart)
        self._rows.addWidget(below)
        for at, share in enumerate((_CHART_SHARE, 1 - _CHART_SHARE)):
            self._rows.setStretchFactor(at, round(100 * share))
        self._columns.addWidget(self.chain)
        self._columns.addWidget(self._rows)
        self._columns.setStretchFactor(1, 1)
        self._pages.addWidget(self.note)
        self._pages.addWidget(self._columns)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _head(self) -> QHBoxLayout:
        """Return the line with the tabs and the controls of the run."""
        actions = self._desk.actions
        goals = QMenu(self)
        for name in RUNS:
            goals.addAction(actions[name])
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, theme.GRID, 0)
        line.setSpacing(theme.GRID // 2)
        line.addWidget(self.bar, 1)
        for name, text in (("run_whole", "▶ Run"), ("run_step", "Step")):
            line.addWidget(push_button(actions[name], text))
        line.addWidget(menu_button("Next", goals))
        for name, sign in (("pause_replay", "‖"), ("stop_replay", "■")):
            button = push_button(actions[name], sign)
            button.setAccessibleName(actions[name].text().replace("&", ""))
            line.addWidget(button)
        return line

    def _connect(self) -> None:
        actions, bench = self._desk.actions, self.bench
        for name, slot in (
            ("replay", self._replay_selected),
            ("pick_threshold", self.chart.pick_threshold),
            ("raise_threshold", partial(self.chart.push_threshold, 1)),
            ("lower_threshold", partial(self.chart.push_threshold, -1)),
            ("reset_layout", self.reset_layout),
        ):
            actions[name].triggered.connect(slot)
        actions["only_differing"].toggled.connect(self.decisions.only_differing.setChecked)
        self.decisions.only_differing.toggled.connect(actions["only_differing"].setChecked)
        for name in _SEEN_HERE:
            actions[name].triggered.connect(self.wanted)
        for name in ("sweep", "study"):
            actions[name].triggered.connect(partial(self._turn_to, "Sweep"))
        for signal in (
            bench.state_changed,
            bench.settings_changed,
            bench.result_changed,
            self.sweep.progressed,
            self.sweep.rows_changed,
        ):
            signal.connect(self._tell_state)
        self._desk.selection.trace_changed.connect(self._follow)
        self._desk.selection.trace_changed.connect(self._tell_state)
        self.commands.done.connect(self._tell_done)

    def _replay_selected(self) -> None:
        """Put the selected context on the bench, or replay once more what is on it."""
        recording = self._selected()
        other = recording is not self.bench.recording or self.bench.state != "ready"
        if recording is not None and other:
            self._replace(partial(self._take, recording))
        else:
            self.bench.run()
        self.wanted.emit()

    def _follow(self) -> None:
        """Keep to the selected context as long as nothing would be lost."""
        recording, bench = self._selected(), self.bench
        own = bench.recording is None and bench.state != "empty"
        bound = bench.settings.edits or self.runs.runs or own
        if self.isVisible() and recording is not None and not bound:
            if recording is not bench.recording:
                self._take(recording)

    def _replace(self, take: Callable[[], None]) -> None:
        """Put something else on the bench, after asking where kept runs would be lost."""
        if unsaved := self.unsaved():
            confirm(unsaved, "Save them first to keep them.", "Open", take, self)
        else:
            take()

    def _take(self, recording: Recording) -> None:
        self._done = ""
        session, context = recording.session_id, recording.context_id
        self.bench.take_recording(recording, formats.one_line(f"{session} · {context}"))

    def _selected(self) -> Recording | None:
        trace = self._desk.selection.trace
        return trace if isinstance(trace, Recording) else None

    def _turn_to(self, tab: str) -> None:
        self.bar.setCurrentIndex(list(self.tabs).index(tab))

    def _tell_state(self) -> None:
        """Show what there is: everything of a case, else a study that needs none, else a note."""
        ready = self.bench.state == "ready"
        swept = self.sweep.running or self.sweep.swept is not None
        page = self._columns if ready or swept else self.note
        if page is not self._pages.currentWidget():
            self._pages.setCurrentWidget(page)
        for part in (self.chain, self.chart):
            part.setVisible(ready)
        for at, title in enumerate(self.tabs):
            self.bar.setTabEnabled(at, ready or not swept or title == "Sweep")
        can = self._selected() is not None or ready
        self._desk.actions["replay"].setEnabled(can)
        self.status_changed.emit()

    def _tell_done(self, what: str) -> None:
        self._done = what
        self.status_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
