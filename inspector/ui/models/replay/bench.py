"""What is on the bench: a case, its baseline, the settings that were edited, and the last replay.

The one owner of the edits. Fields, chart, tables and header change it through these methods and
learn of changes by its signals. Cases are made and read on the sources' thread, replays run on the
engine's; a newer edit supersedes a replay that still runs, and what was shown last stays until the
next one is done. Nothing recorded is changed: an edited case is a new case.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from engine.tokens.capacity import resolve_capacity
from engine.tokens.selection import CounterName
from inspector.replay.case import Case, CaseError, CaseFile, load_case
from inspector.replay.comparison import AlignedDecision, Comparison, align, compare
from inspector.replay.export import export_case
from inspector.replay.fields import (
    ProcessorCard,
    Provenance,
    SettingField,
    chain_cards,
    processor_card,
)
from inspector.replay.project import Project, open_project
from inspector.replay.run_trace import RunTrace
from inspector.replay.runner import Step
from inspector.replay.session import ReplaySession
from inspector.trace.recording import Recording
from inspector.ui.models.replay.progress import ReplayProgress, StepWatch
from inspector.ui.models.replay.setup import ENGINE, FieldKey, Link, ReplaySetup, settings_of
from inspector.ui.models.replay.stepper import Goal, Stepper
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker

State = Literal["empty", "preparing", "refused", "ready"]

TRIGGER = "trigger_context_ratio"
"""The setting that makes a processor act at a share of the capacity."""
_CAPACITY = FieldKey(ENGINE, "context_window_tokens")
_CASE, _BASELINE, _CHECK, _CANDIDATE = "case", "baseline", "check", "candidate"


HUNDREDTHS = 100
"""Steps of a ratio between 0 and 1, for sliders and lines."""


@dataclass(frozen=True)
class Result:
    """A replay with all that is shown of it, made off the UI thread."""

    setup: ReplaySetup
    case: Case
    trace: RunTrace
    comparison: Comparison
    """The baseline (`a`) against this run (`b`)."""
    aligned: tuple[AlignedDecision, ...]
    """Decisions of baseline and candidate, by step."""
    differing: NDArray[np.bool_]
    """One per aligned decision: whether the outcomes differ."""


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
        self._worker = worker
        self._engine = engine
        self._session: ReplaySession | None = None
        self._unchanged: Result | None = None
        self._stepper = Stepper()
        self.setup = ReplaySetup()
        """What is set otherwise than the case has it."""
        self.state: State = "empty"
        self.name = ""
        """What a person calls the case."""
        self.path = ""
        """The file of the case, if it comes from one."""
        self.refusal = ""
        """Why there is nothing to replay."""
        self.failure = ""
        """Why the last replay came to nothing; the one before it is still shown."""
        self.recording: Recording | None = None
        """What the case was made from; None for a case from a file."""
        self.check: Comparison | None = None
        """The recording (`a`) against its replay with the settings it was recorded with."""
        self.case_file: CaseFile | None = None
        self._case: Case | None = None
        self.own: RunTrace | None = None
        """The case's own run."""
        self.baseline: RunTrace | None = None
        """What the candidate is compared with: the case's own run, or one that was kept."""
        self._compared = ""
        """Name of the kept run."""
        self.base_cards: list[ProcessorCard] = []
        """The cards of the case."""
        self.plain_cards: list[ProcessorCard] = []
        """Those of the chain as it is set, without edits."""
        self.cards: list[ProcessorCard] = []
        """Those with edits."""
        self.errors: dict[FieldKey, str] = {}
        """Settings that are not valid as they stand, with what is wrong."""
        self.result: Result | None = None
        self.progress: ReplayProgress | None = None

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
    def faithful(self) -> bool:
        """Whether the baseline is what was recorded."""
        return self.check is not None and not self.check.decisions

    @property
    def baseline_name(self) -> str:
        """What the left side is called: `recorded` where the baseline is what was recorded."""
        return self._compared or ("recorded" if self.faithful else "baseline")

    def told_provenance(self, provenance: Provenance) -> str:
        """Return where a value comes from, in a word; what a case file states is not recorded."""
        stated = provenance == "recorded" and self.recording is None
        return "stated" if stated else provenance

    @property
    def stale(self) -> bool:
        """Whether the result belongs to other settings than those that are set."""
        return self.result is not None and self.result.case != self.case

    def thresholds(self, as_set: bool = True) -> dict[str, int]:
        """Return the tokens at which each processor acts, as set or as the case has it."""
        found = {}
        links = self.links if as_set else ()
        off = {link.name for link in links if not link.on}
        for card in self.cards if as_set else self.base_cards:
            for field in card.fields if card.name not in off else ():
                if field.name != TRIGGER or field.value is None:
                    continue
                tokens = field.tokens(self.capacity if as_set else self.base_capacity)
                if tokens is not None:
                    found[card.name] = max(tokens, 1)
        return found

    def take_recording(self, recording: Recording, name: str) -> None:
        """Make a case of a recorded context and put it on the bench."""
        self._clear(name, recording)
        self._worker.submit(_CASE, lambda _: export_case(recording), self._take_case, self._refuse)

    def take_file(self, path: Path) -> None:
        """Put the case of a file on the bench."""
        self._clear(path.name, None)
        self.path = str(path)
        self._worker.submit(_CASE, lambda _: load_case(path), self._take_case, self._refuse)

    @property
    def links(self) -> tuple[Link, ...]:
        """The chain as it is set, what is switched off included."""
        return self.setup.chain(self.base) if self.base is not None else ()

    def take_project(self, path: Path, read: Callable[[Project], None]) -> None:
        """Put the case of a project on the bench; `read` gets the project before."""
        self._clear(path.name, None)

        def take(project: Project) -> None:
            read(project)
            self._take_case(CaseFile(case=project.case))

        self._worker.submit(_CASE, lambda _: open_project(path), take, self._refuse)

    def base_field(self, key: FieldKey) -> SettingField:
        """Return a setting as it would be without an edit."""
        return _field(self.plain_cards, key)

    def field(self, key: FieldKey) -> SettingField:
        """Return a setting as it stands."""
        return _field(self.cards, key)

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
        self._apply()

    def change_chain(self, links: tuple[Link, ...]) -> None:
        """Set another chain and replay."""
        if self.base is not None:
            self.take_setup(self.setup.with_chain(links, self.base))

    def move(self, key: FieldKey, position: int) -> None:
        """Set a ratio in hundredths, within its bounds; near what the case has it is just that."""
        base = self.base_field(key)
        low, high = int(base.low_open), HUNDREDTHS - base.high_open
        position = min(max(position, low), high)
        back = base.value is not None and position == round(base.value * HUNDREDTHS)
        self.edit(key, base.value if back else position / HUNDREDTHS)

    def edit_capacity(self, tokens: int) -> None:
        """Set the capacity in tokens and replay."""
        edited = None if tokens == self.base_capacity else tokens
        self.take_setup(replace(self.setup, capacity=edited))

    def edit_counter(self, counter: CounterName) -> None:
        """Set what counts tokens and replay."""
        same = self.base is None or counter == self.base.token_counter
        self.take_setup(replace(self.setup, counter=None if same else counter))

    def edit_model(self, model: str) -> None:
        """Set the agent's model and replay."""
        same = self.base is None or model == (self.base.engine_config().model_name or "")
        self.take_setup(replace(self.setup, model=None if same else model))

    def reset(self) -> None:
        """Set everything back to what the case has."""
        self.take_setup(ReplaySetup())

    def reset_if_ready(self) -> None:
        """Set everything back where there is something on the bench."""
        if self.state == "ready":
            self.reset()

    def run(self) -> None:
        """Replay with the settings as they stand."""
        if not self._can_run():
            return
        if not self.edits:
            self._engine.cancel(_CANDIDATE)
            self._tell_progress(None)
            self._show(self._unchanged)
            return
        self._stepper.go("end")
        self._launch(whole=False)

    def go(self, goal: Goal) -> None:
        """Replay from the start, or go on where the replay is held, up to a goal."""
        progress = self.progress
        if progress is not None and self.state == "ready":
            self._stepper.go(goal)
            self._tell_progress(replace(progress, held=False))
        elif self._can_run():
            self._stepper.go(goal)
            self._launch(whole=True)

    def pause(self) -> None:
        """Hold the replay behind the step that it is at."""
        self._stepper.go("step")

    def _can_run(self) -> bool:
        return self.state == "ready" and not self.errors

    def _launch(self, whole: bool) -> None:
        session, setup, case, reference = self._session, self.setup, self._case, self.baseline
        assert session is not None
        assert case is not None
        assert reference is not None
        stepper = self._stepper

        async def work(ticket: Ticket) -> Result:
            watch = StepWatch(session.base, ticket)

            def on_step(step: Step) -> None:
                watch(step)
                stepper.pass_step(step, ticket.cancelled, watch.hold)

            candidate = await session.candidate(
                case, on_step, ticket.cancelled, watch.take_over, whole=whole
            )
            return _result(setup, reference, candidate)

        self._start(_CANDIDATE, work, self._take_candidate, self._fail)

    def compare_with(self, trace: RunTrace | None, name: str) -> None:
        """Compare with a kept run; with the case's own where there is none."""
        if self.own is None:
            return
        self.baseline, self._compared = trace or self.own, name if trace is not None else ""
        baseline = self.baseline
        if self._unchanged is not None:
            self._unchanged = _compared(self._unchanged, baseline)
        self.result = _compared(self.result, baseline) if self.result is not None else None
        self.baseline_changed.emit()
        self.result_changed.emit()

    def stop(self) -> None:
        """Give up what runs; what was shown last stays."""
        self._cancel_all()
        self._tell_progress(None)
        if self.state == "preparing":
            self.state = "empty"
            self.recording = None
            self.state_changed.emit()
        self.settings_changed.emit()

    def _clear(self, name: str, recording: Recording | None) -> None:
        self._cancel_all()
        self.name, self.recording, self.path = name, recording, ""
        self.refusal = self.failure = ""
        self.case_file = self.own = self.baseline = self.check = None
        self._compared = ""
        self._session = self._unchanged = self.result = None
        self.setup, self._case, self.errors = ReplaySetup(), None, {}
        self.base_cards, self.plain_cards, self.cards = [], [], []
        self.progress = None
        self.state = "preparing"
        self.state_changed.emit()
        self.progressed.emit()

    def _cancel_all(self) -> None:
        for key in (_CASE, _CHECK):
            self._worker.cancel(key)
        for key in (_BASELINE, _CANDIDATE):
            self._engine.cancel(key)

    def _take_case(self, case_file: CaseFile) -> None:
        base = case_file.case
        try:
            self.base_cards = self.plain_cards = self.cards = chain_cards(base, base)
        except CaseError as error:
            self._refuse(error)
            return
        self.case_file, self._case = case_file, base
        session = self._session = ReplaySession(base)

        async def work(ticket: Ticket) -> tuple[RunTrace, Result]:
            watch = StepWatch(base, ticket)
            baseline = await session.baseline(watch, ticket.cancelled)
            candidate = await session.candidate(base, cancelled=ticket.cancelled)
            return baseline, _result(ReplaySetup(), baseline, candidate)

        self._start(_BASELINE, work, self._take_baseline, self._refuse)

    def _take_baseline(self, ran: tuple[RunTrace, Result]) -> None:
        self.own, self._unchanged = ran
        recording, baseline = self.recording, self.own
        self.baseline = self.own
        if recording is None:
            self._take_check(None)
        else:  # a recording belongs to the thread of the sources
            self._worker.submit(
                _CHECK, lambda _: compare(recording, baseline), self._take_check, self._refuse
            )

    def _take_check(self, check: Comparison | None) -> None:
        self.check = check
        self.progress = None
        self.state = "ready"
        self.result = self._unchanged
        for signal in (self.state_changed, self.settings_changed, self.result_changed):
            signal.emit()
        self.progressed.emit()

    def _take_candidate(self, result: Result) -> None:
        self._tell_progress(None)
        self._show(result)

    def _show(self, result: Result | None) -> None:
        if result is not self.result:
            self.result = result
            self.result_changed.emit()

    def _start(
        self,
        key: str,
        work: Callable[[Ticket], Coroutine[Any, Any, Any]],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self.failure = ""
        self._engine.submit(key, work, done, failed, self._tell_progress)
        self._tell_progress(ReplayProgress(0, 0, None))

    def _tell_progress(self, progress: ReplayProgress | None) -> None:
        self.progress = progress
        self.progressed.emit()

    def _fail(self, error: Exception) -> None:
        self.failure = str(error) or type(error).__name__
        self._tell_progress(None)

    def _refuse(self, error: Exception) -> None:
        self.refusal = str(error) or type(error).__name__
        self.progress = None
        self.state = "refused"
        self.state_changed.emit()
        self.progressed.emit()

    def _apply(self) -> None:
        """Check what is set, show it, and replay if all of it is valid."""
        base = self.base
        assert base is not None
        self.errors = self.setup.errors(base)
        try:
            self._case = self.setup.case(base, valid_only=True)
        except CaseError as error:
            self.errors[FieldKey("", "")] = str(error)
        self.plain_cards = [
            processor_card(base, link.name, link.settings, link.settings) for link in self.links
        ]
        self.cards = [self._card(base, link) for link in self.links]
        self.settings_changed.emit()
        if self.errors:
            self._engine.cancel(_CANDIDATE)
            self._tell_progress(None)
        else:
            self.run()

    def _card(self, base: Case, link: Link) -> ProcessorCard:
        """Return the card of a processor as it is set, even where that is not valid together."""
        edits = {key: value for key, value in self.setup.edits.items() if key not in self.errors}
        if not any(key.owner == link.name for key in self.errors):
            return processor_card(base, link.name, settings_of(link, edits), link.settings)
        plain = processor_card(base, link.name, link.settings, link.settings)
        own = settings_of(Link(link.name, {}), edits)
        fields = (
            replace(field, value=own[field.name], provenance="edited")
            if field.name in own
            else field
            for field in plain.fields
        )
        return replace(plain, fields=tuple(fields))


def _result(setup: ReplaySetup, baseline: RunTrace, trace: RunTrace) -> Result:
    aligned = tuple(align(baseline, trace))
    differing = np.array(
        [_outcome(baseline, pair.a) != _outcome(trace, pair.b) for pair in aligned], np.bool_
    )
    return Result(setup, trace.run.case, trace, compare(baseline, trace), aligned, differing)


def _compared(result: Result, baseline: RunTrace) -> Result:
    return _result(result.setup, baseline, result.trace)


def _field(cards: list[ProcessorCard], key: FieldKey) -> SettingField:
    fields = (field for card in cards for field in card.fields)
    return next(field for field in fields if (field.owner, field.name) == key)


def _outcome(trace: RunTrace, row: int) -> str | None:
    return trace.decisions.outcomes[trace.decisions.outcome[row]] if row >= 0 else None
