"""What is on the bench: a case, its baseline, the settings that were edited, and the last replay.

The one owner of the edits. Fields, chart, tables and header change it through these methods and
learn of changes by its signals. Cases are made and read on the sources' thread, replays run on the
engine's; a newer edit supersedes a replay that still runs, and what was shown last stays until the
next one is done. Nothing recorded is changed: an edited case is a new case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from engine.summarizers.call import Summarizer
from engine.tokens.capacity import resolve_capacity
from engine.tokens.selection import CounterName
from inspector.insight.sent_requests import SentRequest
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.case_file import CaseFile
from inspector.replay.comparisons.comparison import Comparison
from inspector.replay.project import Project
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.session import ReplaySession
from inspector.replay.settings.fields import ProcessorCard, Provenance, SettingField, chain_cards
from inspector.replay.summaries.answers import Answers
from inspector.replay.summaries.cost_of_asking import unanswered
from inspector.trace.recording import Recording
from inspector.ui.models.replay.running.candidate import Candidate, CandidateRun
from inspector.ui.models.replay.running.opening import CaseOpening, OpenedCase
from inspector.ui.models.replay.running.progress import ReplayProgress
from inspector.ui.models.replay.running.result import Result
from inspector.ui.models.replay.running.stepper import Goal
from inspector.ui.models.replay.settings.cards import cards_as_set, field_of, plain_cards
from inspector.ui.models.replay.settings.setup import ENGINE, FieldKey, Link, ReplaySetup
from inspector.ui.models.replay.settings.thresholds import (
    HUNDREDTHS,
    EstimateScale,
    Threshold,
    thresholds_of,
)
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

State = Literal["empty", "preparing", "refused", "ready"]

_CAPACITY = FieldKey(ENGINE, "context_window_tokens")
_CALLS = "calls"


class ReplayBench(QObject):
    """One case on the bench.

    Signals:
        state_changed: `state` is new.
        baseline_changed: `baseline` is another run.
        settings_changed: cards, capacity or errors are new.
        result_changed: `result` is new.
        progressed: `progress` is new; None when nothing runs.
    """

    state_changed = Signal()
    baseline_changed = Signal()
    settings_changed = Signal()
    result_changed = Signal()
    progressed = Signal()

    def __init__(self, worker: Worker, engine: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._running = CandidateRun(engine, self)
        self._running.progressed.connect(self.progressed)
        self._opening = CaseOpening(worker, self._running, self._take_case, self._refuse)
        self._session: ReplaySession | None = None
        self._unchanged: Result | None = None
        self._case: Case | None = None
        self._compared = ""
        """Name of the kept run that candidates are compared with."""
        self._scale: EstimateScale | None = None
        self.setup = ReplaySetup()
        """What is set otherwise than the case has it."""
        self.state: State = "empty"
        self.name = ""
        """What a person calls the case."""
        self.path = ""
        """The file of the case, if it comes from one."""
        self.refusal = ""
        """Why there is nothing to replay."""
        self.recording: Recording | None = None
        """What the case was made from; None for a case from a file."""
        self.check: Comparison | None = None
        """The recording (`a`) against its replay with the settings it was recorded with."""
        self.case_file: CaseFile | None = None
        self.oddities: list[str] = []
        """What is odd about the conversation."""
        self.answers = Answers()
        """What models answered when they were asked for summaries."""
        self.own: RunTrace | None = None
        """The case's own run."""
        self.baseline: RunTrace | None = None
        """What the candidate is compared with: the case's own run, or one that was kept."""
        self.base_cards: list[ProcessorCard] = []
        """The cards of the case."""
        self.plain_cards: list[ProcessorCard] = []
        """Those of the chain as it is set, without edits."""
        self.cards: list[ProcessorCard] = []
        """Those with edits."""
        self.errors: dict[FieldKey, str] = {}
        """Settings that are not valid as they stand, with what is wrong."""
        self.result: Result | None = None

    @property
    def progress(self) -> ReplayProgress | None:
        """How far the replay is that runs."""
        return self._running.progress

    @property
    def checking(self) -> bool:
        """Whether the case is being held against its recording, before it is ready."""
        return self._opening.checking

    @property
    def failure(self) -> str:
        """Why the last replay came to nothing; the one before it is still shown."""
        return self._running.failure

    @property
    def base_capacity(self) -> int:
        """Capacity of the baseline, in tokens."""
        return self.own.report.context_max if self.own is not None else 0

    @property
    def capacity(self) -> int:
        """Capacity as it is set, in tokens."""
        if self.setup.capacity is not None:
            return self.setup.capacity
        case = self.case if self.setup.model is not None else None
        return resolve_capacity(case.engine_config()).tokens if case else self.base_capacity

    @property
    def edits(self) -> int:
        """How many things differ from those of the case."""
        return len(self.setup)

    @property
    def base(self) -> Case | None:
        """The case without edits."""
        return None if self.case_file is None else self.case_file.case

    @property
    def case(self) -> Case | None:
        """The case with its edits; without those that are not valid."""
        return self._case

    @property
    def links(self) -> tuple[Link, ...]:
        """The chain as it is set, what is switched off included."""
        return self.setup.chain(self.base) if self.base is not None else ()

    @property
    def faithful(self) -> bool:
        """Whether the baseline is what was recorded."""
        return self.check is not None and not self.check.decisions

    @property
    def baseline_name(self) -> str:
        """What the left side is called: `recorded` where the baseline is what was recorded."""
        return self._compared or ("recorded" if self.faithful else "baseline")

    @property
    def stale(self) -> bool:
        """Whether the result belongs to other settings than those that are set."""
        result = self.result
        if result is None:
            return False
        model = result.setup.summary_model
        return result.case != self.case or model != self.setup.summary_model

    def told_provenance(self, provenance: Provenance) -> str:
        """Return where a value comes from, in a word; what a case file states is not recorded."""
        stated = provenance == "recorded" and self.recording is None
        return "stated" if stated else provenance

    def thresholds(self, as_set: bool = True) -> Mapping[str, Threshold]:
        """Return where each processor acts, as set or as the case has it."""
        if not as_set:
            return thresholds_of(self.base_cards, self.base_capacity, self._scale)
        off = {link.name for link in self.links if not link.on}
        on = (card for card in self.cards if card.name not in off)
        return thresholds_of(on, self.capacity, self._scale)

    def base_field(self, key: FieldKey) -> SettingField:
        """Return a setting as it would be without an edit."""
        return field_of(self.plain_cards, key)

    def field(self, key: FieldKey) -> SettingField:
        """Return a setting as it stands."""
        return field_of(self.cards, key)

    # What is on it

    def take_recording(self, recording: Recording, name: str) -> None:
        """Make a case of a recorded context and put it on the bench."""
        self._clear(name, recording)
        self._opening.open_recording(recording)

    def take_file(self, path: Path) -> None:
        """Put the case of a file on the bench."""
        self._clear(path.name, None)
        self.path = str(path)
        self._opening.open_file(path)

    def take_project(self, path: Path, read: Callable[[Project], None]) -> None:
        """Put the case of a project on the bench; `read` gets the project before."""
        self._clear(path.name, None)
        self._opening.open_project(path, read)

    def compare_with(self, trace: RunTrace | None, name: str) -> None:
        """Compare with a kept run; with the case's own where there is none."""
        baseline = trace or self.own
        if baseline is None:
            return
        self.baseline, self._compared = baseline, name if trace is not None else ""
        if self._unchanged is not None:
            self._unchanged = self._unchanged.beside(baseline)
        if self.result is not None:
            self.result = self.result.beside(baseline)
        self.baseline_changed.emit()
        self.result_changed.emit()

    # What is set

    def edit(self, key: FieldKey, value: Any) -> None:
        """Set a setting and replay; the value that it has anyway is no edit."""
        self.edit_all({key: value})

    def edit_all(self, values: Mapping[FieldKey, Any], over: ReplaySetup | None = None) -> None:
        """Set some settings at once and replay, over another setup where one is given."""
        setup = over or self.setup
        for key, value in values.items():
            if key == _CAPACITY:
                setup = replace(setup, capacity=None if value == self.base_capacity else value)
            elif key.owner != ENGINE and self.base_field(key).value == value:
                setup = setup.without_edit(key)
            else:
                setup = setup.with_edit(key, value)
        self.take_setup(setup)

    def take_setup(self, setup: ReplaySetup) -> None:
        """Set everything at once and replay."""
        self.setup = setup
        self._check_setup()
        self.settings_changed.emit()
        if self.errors:
            self._running.stop()
        else:
            self.run()

    def change_chain(self, links: tuple[Link, ...]) -> None:
        """Set another chain and replay."""
        if self.base is not None:
            self.take_setup(self.setup.with_chain(links, self.base))

    def take_chain(self, links: tuple[Link, ...]) -> None:
        """Set a whole chain as it is, without the edits of its processors, and replay."""
        engine = {key: value for key, value in self.setup.edits.items() if key.owner == ENGINE}
        if self.base is not None:
            self.take_setup(replace(self.setup, edits=engine).with_chain(links, self.base))

    def move(self, key: FieldKey, position: int) -> None:
        """Set a ratio in hundredths, within its bounds; near what the case has it is just that."""
        base = self.base_field(key)
        low, high = int(base.low_open), HUNDREDTHS - base.high_open
        position = min(max(position, low), high)
        back = base.value is not None and position == round(base.value * HUNDREDTHS)
        self.edit(key, base.value if back else position / HUNDREDTHS)

    def edit_capacity(self, tokens: int) -> None:
        """Set the capacity in tokens and replay."""
        self.edit(_CAPACITY, tokens)

    def edit_counter(self, counter: CounterName) -> None:
        """Set what counts tokens and replay."""
        same = self.base is None or counter == self.base.token_counter
        self.take_setup(replace(self.setup, counter=None if same else counter))

    def edit_model(self, model: str) -> None:
        """Set the agent's model and replay."""
        same = self.base is None or model == (self.base.engine_config().model_name or "")
        self.take_setup(replace(self.setup, model=None if same else model))

    def edit_summary_model(self, model: str | None) -> None:
        """Set whose answers stand where nothing is recorded, and replay; nobody is asked."""
        self.take_setup(replace(self.setup, summary_model=model))

    def plant(self, canaries: int) -> None:
        """Plant so many canaries in the messages, and replay; none of them when 0."""
        self.take_setup(replace(self.setup, canaries=canaries))

    def reset(self) -> None:
        """Set everything back to what the case has."""
        self.take_setup(ReplaySetup())

    def reset_if_ready(self) -> None:
        """Set everything back where there is something on the bench."""
        if self.state == "ready":
            self.reset()

    # What runs

    def run(self) -> None:
        """Replay with the settings as they stand."""
        if not self._can_run():
            return
        if self.edits:
            self._running.start(self._candidate(), self._show, self._fail)
        else:
            self._running.stop()
            self._show(self._unchanged)

    def go(self, goal: Goal) -> None:
        """Replay from the start, or go on where the replay is held, up to a goal."""
        if self.progress is not None and self.state == "ready":
            self._running.go(goal)
        elif self._can_run():
            self._running.start(self._candidate(), self._show, self._fail, goal=goal, whole=True)

    def pause(self) -> None:
        """Hold the replay behind the step that it is at."""
        self._running.pause()

    def stop(self) -> None:
        """Give up what runs; what was shown last stays."""
        self._cancel_all()
        if self.state == "preparing":
            self.state = "empty"
            self.recording = None
            self.state_changed.emit()
        self.settings_changed.emit()

    def count_calls(self, done: Callable[[tuple[SentRequest, ...]], None]) -> None:
        """Hand over the summary calls that a model would be asked, as far as the result shows."""
        result = self.result

        async def work(_: Ticket) -> tuple[SentRequest, ...]:
            return unanswered(result.trace.run) if result is not None else ()

        self._engine.submit(_CALLS, work, done, self._fail)

    def stop_counting(self) -> None:
        """Give up counting calls."""
        self._engine.cancel(_CALLS)

    def ask(self, name: str, model: Summarizer) -> None:
        """Replay, and ask a model for the summaries that nobody recorded; keep what it answers."""
        if self._can_run():
            self.setup = replace(self.setup, summary_model=name)
            self.settings_changed.emit()
            self._running.start(self._candidate(), self._show, self._fail_asking, model=model)

    def _can_run(self) -> bool:
        return self.state == "ready" and not self.errors

    def _candidate(self) -> Candidate:
        assert self._session is not None
        assert self._case is not None
        assert self.baseline is not None
        return Candidate(self._session, self.setup, self._case, self.baseline, self.answers)

    def _show(self, result: Result | None) -> None:
        if result is not self.result:
            self.result = result
            self.result_changed.emit()

    def _fail(self, error: Exception) -> None:
        self._running.tell_failure(f"not replayed: {_told(error)}")

    def _fail_asking(self, error: Exception) -> None:
        """Go on with what the model answered before it failed."""
        self.run()
        self._running.tell_failure(f"{self.setup.summary_model} was asked in vain: {_told(error)}")

    def _clear(self, name: str, recording: Recording | None) -> None:
        self._cancel_all()
        self.name, self.recording, self.path = name, recording, ""
        self.refusal, self._compared = "", ""
        self.case_file = self._case = self.own = self.baseline = self.check = None
        self._session = self._unchanged = self.result = None
        self.setup, self.errors, self.answers = ReplaySetup(), {}, Answers()
        self.base_cards, self.plain_cards, self.cards = [], [], []
        self.state = "preparing"
        self.state_changed.emit()

    def _cancel_all(self) -> None:
        self._opening.stop()
        self._running.stop()

    def _take_case(self, opened: OpenedCase) -> None:
        base = opened.file.case
        self.base_cards = self.plain_cards = self.cards = chain_cards(base, base)
        self.case_file, self._case, self._session = opened.file, base, opened.session
        self.own, self._unchanged, self._scale, self.oddities = opened.baseline
        self.check, self.answers = opened.check, opened.answers
        self.baseline, self.result = self.own, self._unchanged
        self.state = "ready"
        for signal in (self.state_changed, self.settings_changed, self.result_changed):
            signal.emit()
        self.progressed.emit()

    def _refuse(self, error: Exception) -> None:
        self.refusal = _told(error)
        self.state = "refused"
        self.state_changed.emit()

    def _check_setup(self) -> None:
        """Find out what is not valid of what is set, and what can be shown of it."""
        base = self.base
        assert base is not None
        self.errors = self.setup.errors(base)
        try:
            self._case = self.setup.case(base, valid_only=True)
        except CaseError as error:
            self.errors[FieldKey("", "")] = str(error)
        self.plain_cards = plain_cards(base, self.setup)
        self.cards = cards_as_set(base, self.setup, self.errors)


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
