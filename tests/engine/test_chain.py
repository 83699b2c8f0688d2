"""What holds for any conversation, any chain of processors and any settings."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.conversation.states import ContextCompressionState
from engine.debug.records import CompressionDump, DebugRecord, Outcome, ThresholdCheck
from engine.messages import USAGE_STALE, AssistantMessage, Message, ToolMessage
from engine.messages.rounds import completed_api_rounds
from engine.session import Session
from engine.session_memory.notes import notes_path
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.tokens.usage import valid_usage
from engine.window import ContextWindow
from tests.conversations import CONVERSATIONS, LIMITS, WHOLE_CHAINS, conversation, exchanges
from tests.scripted import Bench, Script, bench

RECALL = {"enabled": True, "chunk_size_tokens": 40, "chunk_overlap_tokens": 4}
MODELS = st.sampled_from(["S", "", "word " * 1200]).map(lambda text: Script(otherwise=text))
GROUPS = st.lists(st.integers(0, 4), max_size=6)
MAY_CHANGE_RESULTS = {"MessageOffloader", "MessageSummaryOffloader", "ObservationMasking"}
DEBUG = {"enable_debug_dump": True, "enable_context_debug": True}
ACTED = {"compressed", "offloaded", "cut", "folded", "materialised"}
HARMLESS: dict[str, Any] = {}
Chain = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Step:
    """One add or one window request, with what happened in it."""

    before: list[Message]
    """The buffer, and what was added."""
    after: list[Message]
    window: ContextWindow | None
    states: list[ContextCompressionState]
    records: list[DebugRecord]
    outcomes: list[Outcome]
    dumps: list[CompressionDump]
    reported: int | None
    """Input tokens that the provider reported for the window; usage grows stale later."""

    @property
    def completed(self) -> set[str]:
        return {state.processor for state in self.states if state.status == "completed"}


class Story:
    """A conversation that is fed to a context in groups, with windows and pauses between them."""

    def __init__(self, chain: Chain, model: Script, limits: dict[str, Any], folder: Path) -> None:
        self.steps: list[Step] = []
        self._session = Session("s")
        self._made: Bench = bench(
            *((name, {**chosen, **DEBUG}) for name, chosen in chain),
            model=model,
            session=self._session,
            folder=folder,
            capacity=900,
            compression_recall_config=RECALL,
            **limits,
        )

    def feed(self, messages: Sequence[Message], groups: Sequence[int]) -> list[Step]:
        """Add the messages; after each group comes a pause, notes that cover it, and a window."""
        rest = list(messages)
        for size in [*groups, len(rest)]:
            for message in rest[:size]:
                self._step(message)
            rest = rest[size:]
            asyncio.run(self._made.clock.sleep(100))
            self._take_notes()
            self._step(None)
        return self.steps

    def _take_notes(self) -> None:
        context = self._made.context
        messages = context.get_messages()
        rounds = completed_api_rounds(messages)
        if not rounds or context.workspace is None:
            return
        path = context.workspace.physical(notes_path(context.workspace, "s"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("What happened so far.", encoding="utf-8")
        anchor = messages[rounds[-1].stop - 1].message_id
        SessionMemoryRuntime(notes_upto_message_id=anchor).keep(self._session)

    def _step(self, message: Message | None) -> None:
        made, context = self._made, self._made.context
        before, window = context.get_messages(), None
        context.states.clear()
        made.sink.clear()
        if message is None:
            window = made.window()
        else:
            known = {id(m) for m in before}
            made.add(message)
            before += [m for m in context.get_messages()[-1:] if id(m) not in known]
        dumps = [build() for build in made.sink.dumps]
        after, states = context.get_messages(), [*context.states]
        told = reported(window.messages) if window else None
        records, outcomes = made.records, made.outcomes
        self.steps.append(Step(before, after, window, states, records, outcomes, dumps, told))


def reported(messages: Sequence[Message]) -> int | None:
    usages = [valid_usage(message) for message in reversed(messages)]
    return next((usage.input_tokens for usage in usages if usage and usage.input_tokens > 0), None)


def told(
    messages: Sequence[Message],
    chain: Chain,
    model: Script,
    groups: Sequence[int],
    limits: dict[str, Any] = HARMLESS,
) -> list[Step]:
    with tempfile.TemporaryDirectory() as folder:
        return Story(chain, model, limits, Path(folder)).feed(messages, groups)


def ids(messages: Sequence[Message]) -> list[str | None]:
    return [message.message_id for message in messages]


ANY = given(CONVERSATIONS, WHOLE_CHAINS, MODELS, GROUPS, LIMITS)


@settings(max_examples=60)
@ANY
def test_ids_are_kept_and_stand_in_their_order(
    messages: list[Message], chain: Chain, model: Script, groups: list[int], limits: dict[str, Any]
) -> None:
    known: dict[str, Message] = {}
    for step in told(messages, chain, model, groups, limits):
        after = ids(step.after)
        assert None not in after
        assert len(set(after)) == len(after)
        before = ids(step.before)
        assert [i for i in after if i in before] == [i for i in before if i in after]
        for message in step.after:
            first = known.setdefault(message.message_id or "", message)
            assert message.role == first.role
            if isinstance(message, ToolMessage) and isinstance(first, ToolMessage):
                assert message.tool_call_id == first.tool_call_id
            elif message is not first:
                assert message.content == first.content
        unchanged = {id(m) for m in step.before}
        changed = [m for m in step.after if id(m) not in unchanged and m.message_id in before]
        if changed and step.window is not None:
            assert step.completed & MAY_CHANGE_RESULTS


def said(chats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without the mark that a compression puts on the usage of those it keeps."""
    return [
        {**chat, "metadata": {k: v for k, v in chat["metadata"].items() if k != USAGE_STALE}}
        for chat in chats
    ]


@settings(max_examples=60)
@ANY
def test_what_stands_around_a_span_is_untouched(
    messages: list[Message], chain: Chain, model: Script, groups: list[int], limits: dict[str, Any]
) -> None:
    for step in told(messages, chain, model, groups, limits):
        for dump in step.dumps:
            assert dump.context_before is not None
            before, after = dump.context_before.messages, dump.context_after.messages
            span = dump.span
            prefix, tail = span.preserved_prefix_count, span.protected_tail_count
            assert prefix + span.messages_to_compress_count + tail == len(before)
            assert said(after[:prefix]) == said(before[:prefix])
            assert said(after[len(after) - tail :]) == said(before[len(before) - tail :])
            assert len(after) - prefix - tail in (1, 2)
            assert dump.benefit.tokens_after < dump.benefit.tokens_before
            assert dump.benefit.reduction == dump.benefit.tokens_before - dump.benefit.tokens_after


@settings(max_examples=60)
@ANY
def test_totals_are_the_sums_of_their_parts(
    messages: list[Message], chain: Chain, model: Script, groups: list[int], limits: dict[str, Any]
) -> None:
    for step in told(messages, chain, model, groups, limits):
        for state in step.states:
            if state.after is not None and state.saved is not None:
                assert state.saved.messages == state.before.messages - state.after.messages
                assert state.saved.tokens == state.before.tokens - state.after.tokens
        for record in step.records:
            if isinstance(record, ThresholdCheck):
                assert record.hit == (record.reason == "reached_threshold")
                full = record.total_tokens >= record.threshold
                assert full == (record.reason != "below_threshold")
        if step.window is None:
            continue
        figures, roles = step.window.statistic, ("system", "user", "assistant", "tool")
        counts = {role: getattr(figures, f"{role}_messages") for role in roles}
        assert sum(counts.values()) == figures.total_messages == len(step.window.messages)
        for role, count in counts.items():
            assert count == sum(message.role == role for message in step.window.messages)
        by_role = sum(getattr(figures, f"{role}_message_tokens") for role in roles)
        if step.reported is not None:
            assert (by_role, figures.total_tokens) == (0, step.reported)
        else:
            assert figures.total_tokens == by_role + figures.tool_tokens


@settings(max_examples=60)
@ANY
def test_a_step_in_which_nobody_acts_changes_nothing(
    messages: list[Message], chain: Chain, model: Script, groups: list[int], limits: dict[str, Any]
) -> None:
    for step in told(messages, chain, model, groups, limits):
        if step.completed:
            continue
        before, after = [*map(id, step.before)], [*map(id, step.after)]
        if step.window is None:
            assert after == before[len(before) - len(after) :]
            assert after or not limits["max_context_message_num"]
        else:
            assert after == before
            shown = [*map(id, step.window.context_messages)]
            assert shown == before[len(before) - len(shown) :]


@settings(max_examples=60)
@ANY
def test_every_turn_that_began_states_how_it_ended(
    messages: list[Message], chain: Chain, model: Script, groups: list[int], limits: dict[str, Any]
) -> None:
    for step in told(messages, chain, model, groups, limits):
        for state in step.states:
            if state.status == "started":
                continue
            ends = [e.outcome for e in step.outcomes if e.processor == state.processor]
            assert ends, state
            assert (state.status == "completed") == bool(ACTED & set(ends))


# Results and their calls


def orphans(messages: Sequence[Message]) -> list[str]:
    """Return the call ids of results that no call before them asked for."""
    called: set[str | None] = set()
    found: list[str] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            called |= {call.id for call in message.tool_calls or ()}
        elif isinstance(message, ToolMessage) and message.tool_call_id not in called:
            found.append(message.tool_call_id)
    return found


@settings(max_examples=70)
@given(exchanges(), WHOLE_CHAINS, MODELS, GROUPS)
def test_no_result_stands_without_its_call(
    messages: list[Message], chain: Chain, model: Script, groups: list[int]
) -> None:
    for step in told(messages, chain, model, groups):
        if step.window is not None:
            assert orphans(step.window.context_messages) == []
            assert orphans(step.after) == []


LATE = conversation("u a{x} u t{x} a")
"""An exchange that the user interrupted."""


@pytest.mark.parametrize(
    "limits",
    [{"default_window_message_num": 3}, {"default_window_round_num": 1}],
    ids=["messages", "rounds"],
)
def test_a_window_s_limits_cut_where_they_fall(limits: dict[str, Any]) -> None:
    made = bench(messages=LATE, **limits)
    assert orphans(made.window().context_messages) == ["x"]


def test_a_buffer_s_limit_cuts_where_it_falls() -> None:
    made = bench(messages=LATE, max_context_message_num=3)
    assert orphans(made.window().context_messages) == ["x"]


def test_a_smaller_span_after_an_overflow_ends_where_the_budget_does() -> None:
    overflow = ValueError("maximum context length")
    made = bench(
        ("CurrentRoundCompressor", {"trigger_context_ratio": 0.1}),
        messages=conversation("u a{x,y}:6000 t{x}:6000 t{y}:6000"),
        model=Script(overflow),
        capacity=9000,
    )
    window = made.window()
    assert [o.outcome for o in made.outcomes] == ["compressed"]
    assert orphans(window.context_messages) == ["y"]


def test_only_results_at_the_head_of_a_window_are_dropped_with_their_call() -> None:
    made = bench(messages=conversation("u a{x} t{x} a"), default_window_message_num=2)
    assert [m.role for m in made.window().context_messages] == ["assistant"]
