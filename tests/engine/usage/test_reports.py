"""Usage reports: parts, totals, the provider's numbers, and what changed."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Message, SystemMessage, ToolInfo, UserMessage
from engine.tokens.tiktoken import TiktokenCounter
from engine.usage.measure import KEPT_MEASUREMENTS, Measurements, scaled_to
from engine.usage.report import CATEGORIES, Attribution, PromptSection, UsageSnapshot
from engine.usage.reporter import KEPT_REPORTS, UsageReporter
from engine.window import ContextWindow
from tests.conversations import CONVERSATIONS, conversation
from tests.scripted import bench

SYSTEM = [SystemMessage(content="You are careful." * 5)]
TOOLS = [ToolInfo(name="t", description="does things", parameters={"type": "object"})]
SECTIONS = [
    PromptSection(category="system_prompt", text="x" * 300),
    PromptSection(category="memory", text="y" * 90),
    PromptSection(category="skills", text="z" * 600),
]


def window(messages: list[Message]) -> ContextWindow:
    return ContextWindow(list(SYSTEM), messages, list(TOOLS))


def reporter(messages: list[Message] | None = None, **options: Any) -> UsageReporter:
    return UsageReporter(bench(messages=messages or ()).context, **options)


@given(CONVERSATIONS, st.none() | st.integers(0, 10**6), st.booleans())
def test_parts_sum_up_to_the_window(
    messages: list[Message], provider: int | None, sectioned: bool
) -> None:
    report = reporter().build(
        window(messages), SECTIONS if sectioned else None, provider_tokens=provider
    )
    parts = sum(part.tokens for part in report.parts.values())
    assert parts == sum(map(report.tokens_of, CATEGORIES))
    usage = report.context_window
    local = usage.local_estimated_input_tokens
    if provider is None or local == 0:
        assert parts == local
    else:
        assert parts == usage.input_tokens == provider
        assert usage.reconciliation_delta_tokens == provider - local
    assert all(part.tokens >= 0 for part in report.parts.values())
    assert json.loads(report.model_dump_json())["session_id"] == "s"


def test_without_sections_the_prompt_is_one_part_and_skills_are_unknown() -> None:
    made = reporter()
    report = made.build(window(conversation("u:300 a:300")))
    counter = made._context.counter
    assert report.tokens_of("system_prompt") == counter.count_messages(SYSTEM)
    assert report.tokens_of("tools") == counter.count_tools(TOOLS)
    assert report.parts["skills"].source == "not_reported"
    assert report.measurement.category_source == "not_reported"
    assert report.measurement.estimated
    assert report.context_window.limit_tokens == 1000


def test_sections_have_parts_of_their_own() -> None:
    report = reporter().build(window([]), SECTIONS)
    assert (report.tokens_of("system_prompt"), report.tokens_of("skills")) == (130, 200)
    assert [name for name in report.parts if ":" in name] == [
        "system_prompt:0",
        "memory:1",
        "skills:2",
    ]
    part = report.parts["memory:1"]
    assert (part.category, part.order, part.percentage_of_window) == ("system_prompt", 1, 3.0)


def test_messages_that_the_agent_has_labelled_count_elsewhere() -> None:
    plain = UserMessage(content="hello")
    skill = UserMessage(content="s" * 300, metadata={"_context_usage_category": "skills"})
    mixed = UserMessage(
        content="m" * 300,
        metadata={
            "_context_usage_fragments": [
                {"category": "memory", "text": "m" * 100},
                {"category": "skills", "text": "m" * 199},
                {"category": "nonsense", "text": "m"},
            ],
            "_context_usage_carrier": "attachment",
        },
    )
    made = reporter()
    report = made.build(window([plain, skill, mixed]), [])
    count = made._context.counter.count_messages
    whole = count([mixed])
    first, second = whole * 100 // 300, whole * 199 // 300
    assert report.tokens_of("system_prompt") == first
    assert report.tokens_of("skills") == count([skill]) + second
    assert report.tokens_of("messages") == count([plain]) + whole - first - second
    assert report.parts["message:2:0"].carrier == "attachment"


def test_an_estimate_is_scaled_to_the_provider_s_total() -> None:
    report = reporter().build(window(conversation("u:900 a:900")), provider_tokens=1234)
    assert sum(part.tokens for part in report.parts.values()) == 1234
    assert report.measurement.category_source == "provider_usage_proportional"
    assert report.measurement.authoritative_total


@pytest.mark.parametrize(("total", "messages"), [(5000, None), (3, 0)])
def test_a_tokenizer_s_difference_falls_to_the_messages(total: int, messages: int | None) -> None:
    made = reporter()
    made._context.counter = TiktokenCounter()
    report = made.build(window(conversation("u:900 a:900")), provider_tokens=total)
    others = sum(p.tokens for name, p in report.parts.items() if name != "messages")
    assert report.parts["messages"].tokens == (total - others if messages is None else messages)
    assert report.measurement.category_source == "provider_usage_residual"
    assert not report.measurement.estimated


@given(st.lists(st.integers(0, 1000), max_size=8), st.integers(0, 10_000))
def test_scaling_keeps_the_sum_and_the_order(figures: list[int], total: int) -> None:
    scaled = scaled_to(figures, total)
    if not sum(figures):
        assert scaled == figures
        return
    assert sum(scaled) == total
    for figure, share in zip(figures, scaled, strict=True):
        assert abs(share - figure * total / sum(figures)) <= 1


def test_changes_are_told_against_the_report_before() -> None:
    made = reporter(conversation("u a"))
    first = made.build(window(conversation("u")), SECTIONS)
    assert first.context_changes.message_event == "append"
    assert not first.context_changes.stable_prefix_changed
    same = made.build(window(conversation("u a u")), SECTIONS)
    assert not same.context_changes.stable_prefix_changed
    assert same.prompt_revision == 0
    other = made.build(window([]), [*SECTIONS[:2], SECTIONS[2].model_copy(update={"text": "new"})])
    assert other.context_changes.skills_changed
    assert not other.context_changes.system_prompt_changed
    assert other.context_changes.stable_prefix_changed
    assert (other.skills_revision, other.prompt_revision) == (1, 0)
    assert first.component_signatures.messages != same.component_signatures.messages


def test_the_context_s_revision_goes_with_it() -> None:
    made = reporter(conversation("u a"))
    context = made._context
    before = made.build(window([])).message_revision
    context.pop_messages()
    after = made.build(window([]))
    assert after.message_revision == before + 1
    assert after.context_changes.message_event == "remove"
    context.set_messages(conversation("u"))
    assert made.build(window([])).context_changes.message_event == "replace"


def test_texts_are_counted_once() -> None:
    made = reporter()
    first = made.build(window([]), SECTIONS).measurement_cache
    again = made.build(window([]), SECTIONS).measurement_cache
    assert (first.hit, first.recomputed_parts) == (False, 3)
    assert (again.hit, again.reused_parts) == (True, 3)


def test_memory_is_bounded() -> None:
    made = reporter()
    for i in range(KEPT_REPORTS + 5):
        made.build(window([]), [PromptSection(category="skills", text=str(i))])
    assert len(made.reports) == KEPT_REPORTS
    measurements = Measurements(made._context.counter)
    for i in range(KEPT_MEASUREMENTS * 3):
        measurements.count(str(i))
    assert len(measurements._known) <= KEPT_MEASUREMENTS


def test_snapshots_reach_whoever_listens(caplog: pytest.LogCaptureFixture) -> None:
    made = reporter(attribution=Attribution(agent_id="a", depth=2))
    heard: list[UsageSnapshot] = []

    def failing(_: UsageSnapshot) -> None:
        raise RuntimeError("no")

    made.listeners += [failing, heard.append]
    with caplog.at_level(logging.ERROR):
        made.snapshot("pre_call", made.build(window([])))
    assert [(s.type, s.schema_version, s.phase) for s in heard] == [
        ("context.usage", "context-usage.v1", "pre_call")
    ]
    assert (heard[0].report.agent_id, heard[0].report.depth) == ("a", 2)
    assert "a listener failed" in caplog.text


def test_a_report_goes_into_the_request_log() -> None:
    made = bench(messages=conversation("u"), enable_context_debug=True)
    report = UsageReporter(made.context).build(made.window())
    made.context.record_request(made.window(), request_id="r", sequence=1, usage_report=report)
    [record] = made.records
    assert record.to_json()["usage_report"]["session_id"] == "s"
