"""What can be done in the Replay perspective: each action with what it does, and when it can be.

Actions that belong to one tab are connected there.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from engine.messages import Message
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.summaries.model_key import keep_key
from inspector.ui.models.replay.aligned_selection import AlignedSelection
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.running.stepper import Goal
from inspector.ui.models.replay.runs import ReplayRuns
from inspector.ui.panels.perspective import Desk
from inspector.ui.panels.replay.dialogs.ask_model import AskModelDialog
from inspector.ui.panels.replay.dialogs.branch import BranchDialog
from inspector.ui.panels.replay.dialogs.cost_model import CostModelDialog
from inspector.ui.panels.replay.export import ReplayExport

RUNS: Final[dict[str, Goal]] = {
    "run_whole": "end",
    "run_step": "step",
    "run_acted": "acted",
    "run_compressed": "compressed",
    "run_gave_up": "gave_up",
    "run_declined": "declined",
}
"""Actions that run the replay, and where it is held then."""
_OF_A_CASE: Final = (
    "export_case",
    "save_chain",
    "save_project",
    "branch",
    "keep_run",
    "compare_run",
    "canaries",
    "copy_python",
    "copy_command",
    "copy_settings",
    "only_differing",
    "pick_threshold",
    "raise_threshold",
    "lower_threshold",
)
"""What can be done with any case on the bench."""
CANARIES: Final = 24
"""How many are planted: three of each kind."""
_KEY, _ASKED = "key", "replay/asked"


class ReplayCommands(QObject):
    """Connects the actions of the case on the bench.

    Signals:
        done: something was done; carries what, in a few words.
    """

    done = Signal(str)

    def __init__(
        self,
        desk: Desk,
        bench: ReplayBench,
        runs: ReplayRuns,
        selection: AlignedSelection,
        window: QWidget,
    ) -> None:
        """Connect the actions.

        Args:
            desk: Actions and threads.
            bench: What they are about.
            runs: The kept runs.
            selection: The step that is looked at.
            window: What the dialogs belong to.
        """
        super().__init__(window)
        self._desk = desk
        self._bench = bench
        self._runs = runs
        self._selection = selection
        self._window = window
        self._asked = ("", "")
        """Model and endpoint that were asked last."""
        self.export = ReplayExport(bench, desk.worker, window)
        self._connect()

    def save(self, settings: QSettings) -> None:
        """Remember which model was asked last; never its key."""
        settings.setValue(_ASKED, list(self._asked))

    def restore(self, settings: QSettings) -> None:
        """Offer the model that was asked last."""
        kept = settings.value(_ASKED)
        if isinstance(kept, list) and len(kept) == len(self._asked):
            self._asked = (str(kept[0]), str(kept[1]))

    def _connect(self) -> None:
        actions, bench, export = self._desk.actions, self._bench, self.export
        for name, slot in (
            ("stop_replay", bench.stop),
            ("pause_replay", bench.pause),
            *((name, partial(bench.go, goal)) for name, goal in RUNS.items()),
            ("undo", bench.settings.undo),
            ("redo", bench.settings.redo),
            ("reset_settings", bench.settings.reset),
            ("cost_model", lambda: _open(CostModelDialog(self._window))),
            ("export_case", export.save_case),
            ("export_report", export.save_report),
            ("save_chain", export.save_chain),
            ("save_project", self._save_project),
            ("branch", self._ask_branch),
            ("keep_run", self._keep),
            ("ask_model", self._ask_model),
            ("canaries", self._plant),
            ("copy_python", export.copy_python),
            ("copy_command", export.copy_command),
            ("copy_settings", export.copy_settings),
        ):
            actions[name].triggered.connect(slot)
        for signal in (
            bench.state_changed,
            bench.settings_changed,
            bench.result_changed,
            bench.progressed,
        ):
            signal.connect(self._enable)
        export.saved.connect(lambda path: self.done.emit(f"saved {path}"))
        export.copied.connect(lambda what: self.done.emit(f"copied: {what}"))
        self._enable()

    def _save_project(self) -> None:
        project = self._runs.project()
        if project is not None:
            self.export.save_project(project, lambda: self._runs.tell_saved(project))

    def _keep(self) -> None:
        run = self._runs.keep()
        if run is not None:
            self.done.emit(f"kept as {run.id}")

    def _ask_branch(self) -> None:
        """Ask what changes at the step that is looked at, and replay from there."""
        bench, place = self._bench, self._selection.place
        if place is None or bench.result is None:
            return
        setup, messages = bench.settings.setup, _context(bench.result.trace, place.step)
        if messages is None:
            return
        unset = None
        if bench.own is not None and not len(setup.without_settings()):
            unset = _context(bench.own, place.step)
        dialog = BranchDialog(place.step, messages, unset, setup, self._window)
        dialog.accepted.connect(lambda: self._runs.branch(*dialog.branch()))
        _open(dialog)

    def _ask_model(self) -> None:
        """Ask which model writes summaries, and replay with it."""
        dialog = AskModelDialog(self._bench, *self._asked, self._keep_key, self._window)
        dialog.accepted.connect(lambda: self._remember(dialog))
        _open(dialog)

    def _remember(self, dialog: AskModelDialog) -> None:
        self._asked = (dialog.model.text().strip(), dialog.url.text().strip())

    def _keep_key(self, url: str, key: str) -> None:
        self._desk.worker.submit(
            _KEY,
            lambda _: keep_key(url, key),
            lambda _: self.done.emit("the key is in the system's keyring"),
            lambda error: self.done.emit(f"the key is not kept: {error}"),
        )

    def _plant(self) -> None:
        bench = self._bench
        bench.settings.plant(0 if bench.settings.setup.canaries else CANARIES)

    def _enable(self) -> None:
        actions, bench = self._desk.actions, self._bench
        ready = bench.state == "ready"
        running = bench.progress is not None and ready
        held = bench.progress is not None and bench.progress.held
        settled = ready and not bench.settings.errors and not running
        actions["stop_replay"].setEnabled(bench.state == "preparing" or bench.progress is not None)
        actions["pause_replay"].setEnabled(running and not held)
        for name in RUNS:
            actions[name].setEnabled(settled or (ready and held))
        actions["undo"].setEnabled(ready and bench.settings.can_undo())
        actions["redo"].setEnabled(ready and bench.settings.can_redo())
        actions["reset_settings"].setEnabled(ready and bench.settings.edits > 0)
        for name in _OF_A_CASE:
            actions[name].setEnabled(ready)
        actions["canaries"].setChecked(bench.settings.setup.canaries > 0)
        actions["ask_model"].setEnabled(settled and not bench.stale)
        actions["export_report"].setEnabled(ready and not bench.stale)


def _context(trace: RunTrace, step: int) -> tuple[Message, ...] | None:
    """Return the messages before a window request of a run."""
    found = (made.before for made in trace.run.steps if made.number == step)
    return next(found, None)


def _open(dialog: QDialog) -> None:
    """Show a dialog until it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
