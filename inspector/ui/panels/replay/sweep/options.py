"""What else a sweep can be told: further cases, a sample, a cluster to run on.

Further cases come from files, or from the other sessions that are open; such a case is made when it
is added, on the thread of the sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMenu, QWidget

from inspector.replay.cases.case import CaseError
from inspector.replay.recovery.export import export_case
from inspector.trace.recording import Recording
from inspector.ui import formats, theme
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.sweep import OtherCase
from inspector.ui.panels.perspective import Desk
from inspector.ui.widgets.fields.number_field import CountField
from inspector.ui.widgets.push_button import menu_button

_KEY = "sweep cases"
_MOST = 1_000_000
_ADDRESS_WIDTH = 220


class SweepOptions(QWidget):
    """One line; what it says when untouched is the case on the bench, all of it, here.

    Signals:
        refused: a session makes no case; carries the reason.
    """

    refused = Signal(str)

    def __init__(self, bench: ReplayBench, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._desk = desk
        self.cases: list[OtherCase] = []
        """Cases besides the one on the bench."""
        self.sample = CountField("Combinations to run", 0)
        self.scheduler = QLineEdit()
        self._menu = QMenu(self)
        self._button = menu_button("", self._menu)
        self._build()
        self._menu.aboutToShow.connect(self._list_cases)
        self._tell_cases()

    def sample_size(self) -> int | None:
        """Return how many combinations to run; all when None."""
        return self.sample.count() or None

    def address(self) -> str:
        """Return the scheduler's address; empty: this machine."""
        return self.scheduler.text().strip()

    def add_cases(self) -> None:
        """Ask for files of cases or chats, and sweep them along."""
        paths, _ = QFileDialog.getOpenFileNames(self, "Add cases", "", "JSON (*.json)")
        self._add([OtherCase(path) for path in paths])

    def add_open_sessions(self) -> None:
        """Make cases of the other sessions that are open, and sweep them along."""
        recordings = self._others()
        self._desk.worker.submit(
            _KEY, lambda _: _cases_of(recordings), self._take_cases, lambda e: self._refuse([e])
        )

    def _others(self) -> list[Recording]:
        """Return the sessions that are open, but for the one on the bench and those added."""
        content, own = self._desk.document.content, self._bench.recording
        added = {other.name for other in self.cases}
        return [
            trace
            for trace in (content.traces if content is not None else ())
            if isinstance(trace, Recording) and trace is not own and _name(trace) not in added
        ]

    def _take_cases(self, made: tuple[list[OtherCase], list[CaseError]]) -> None:
        cases, faults = made
        self._add(cases)
        if faults:
            self._refuse(faults)

    def _refuse(self, faults: Sequence[Exception]) -> None:
        count = formats.plural(len(faults), "session")
        self.refused.emit(f"{count} cannot be swept: {faults[0]}")

    def _add(self, cases: Iterable[OtherCase]) -> None:
        self.cases = list({other.name: other for other in (*self.cases, *cases)}.values())
        self._tell_cases()

    def _build(self) -> None:
        self.sample.setRange(0, _MOST)
        self.sample.setSpecialValueText("all")
        self.sample.setToolTip("Run so many combinations only, the same each time")
        self.scheduler.setPlaceholderText("this machine")
        self.scheduler.setAccessibleName("Address of a Dask scheduler")
        self.scheduler.setToolTip("Run on an existing Dask cluster: tcp://host:port")
        self.scheduler.setFont(theme.content_font())
        self.scheduler.setProperty("quiet", True)
        self.scheduler.setMaximumWidth(_ADDRESS_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID)
        layout.addWidget(self._button)
        for name, field in (("combinations", self.sample), ("run on", self.scheduler)):
            label = QLabel(name)
            label.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            layout.addSpacing(theme.GRID)
            layout.addWidget(label)
            layout.addWidget(field)
        layout.addStretch(1)

    def _list_cases(self) -> None:
        self._menu.clear()
        self._menu.addAction("Add cases…").triggered.connect(self.add_cases)
        others = self._others()
        opened = self._menu.addAction(f"Add {formats.plural(len(others), 'open session')}")
        opened.setEnabled(bool(others))
        opened.triggered.connect(self.add_open_sessions)
        if self.cases:
            self._menu.addSeparator()
        for other in self.cases:
            name = other.name if other.case is not None else Path(other.name).name
            action = self._menu.addAction(f"Leave out {formats.one_line(name)}")
            action.triggered.connect(partial(self._leave_out, other))

    def _leave_out(self, other: OtherCase) -> None:
        self.cases.remove(other)
        self._tell_cases()

    def _tell_cases(self) -> None:
        told = "this case" if not self.cases else f"this case and {len(self.cases):,} more"
        self._button.setText(f"{told} ▾")
        self._button.setAccessibleName(f"Cases to sweep: {told}")
        self._button.setToolTip("\n".join(other.name for other in self.cases))


def _cases_of(recordings: Iterable[Recording]) -> tuple[list[OtherCase], list[CaseError]]:
    """Return the cases of sessions, and why there are none of others."""
    cases, faults = [], []
    for recording in recordings:
        try:
            cases.append(OtherCase(_name(recording), export_case(recording).case))
        except CaseError as error:
            faults.append(error)
    return cases, faults


def _name(recording: Recording) -> str:
    return f"{recording.session_id} · {recording.context_id}"
