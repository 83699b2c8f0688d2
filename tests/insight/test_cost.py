"""Net cost: conversations computed by hand, and what holds for every conversation."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import ToolInfo
from engine.tokens.counters import StringLengthCounter
from inspector.insight.cost import NetCost, TokenUse, net_cost
from inspector.insight.prices import CacheRule, ModelPrice, Price, Rates, load_prices
from inspector.insight.sent_requests import Part, RequestWriter, SentRequest
from tests.conversations import conversation

STEPS_OF_128 = CacheRule(minimum=1024, step=128)
AT_ENDS = CacheRule(minimum=512, found="at_ends")


def price(
    cache: CacheRule | None = None,
    *,
    input: float = 2.0,
    cached_input: float | None = 0.5,
    cache_write: float | None = None,
    output: float = 8.0,
    model: str = "test",
) -> Price:
    rates = Rates(input=input, cached_input=cached_input, cache_write=cache_write, output=output)
    return Price(model, ModelPrice(rates=(rates,)), cache)


def request(
    step: int,
    *parts: tuple[str, int],
    head: int = 0,
    frame: int = 0,
    processor: str | None = None,
    output: int = 0,
) -> SentRequest:
    return SentRequest(step, tuple(Part(*part) for part in parts), head, frame, processor, output)


def used(cost: NetCost) -> list[tuple[int, int, int, int]]:
    """Return uncached, cached, written and output tokens of each line."""
    uses = (line.tokens for line in cost.lines)
    return [(use.uncached, use.cached, use.written, use.output) for use in uses]


def test_without_caching_every_token_is_paid_in_full() -> None:
    requests = [
        request(1, ("system", 60), ("u", 40)),
        request(2, ("system", 60), ("u", 40), ("a", 50), ("t", 100)),
        request(3, ("system", 60), ("u", 40), ("a", 50), ("t", 100), ("a2", 30), ("u2", 120)),
    ]
    cost = net_cost(requests, price(None))
    assert used(cost) == [(100, 0, 0, 0), (250, 0, 0, 0), (400, 0, 0, 0)]
    # 750 tokens at 2 a million
    assert cost.net_cost == pytest.approx(0.0015)
    assert cost.summary_cost == 0


def test_a_growing_conversation_reads_what_it_sent_before() -> None:
    first = [("system", 600), ("u", 700)]
    second = [*first, ("a", 100), ("t", 500)]
    requests = [
        request(1, *first),
        request(2, *second),
        request(3, *second, ("a2", 200), ("u2", 100)),
    ]
    cost = net_cost(requests, price(STEPS_OF_128))
    # 1,300 shared tokens are 10 steps of 128 and 20 over; 1,900 are 14 steps and 108 over
    assert used(cost) == [(1300, 0, 0, 0), (620, 1280, 0, 0), (408, 1792, 0, 0)]
    # 2,328 at 2 and 3,072 at 0.5 a million
    assert cost.net_cost == pytest.approx(0.004656 + 0.001536)
    assert [line.broken_at for line in cost.lines] == [None, None, None]


def compressed_in_the_middle() -> list[SentRequest]:
    """A compression that keeps tools, system message and request, and replaces two messages."""
    kept = [("tools", 200), ("system", 800), ("u", 500)]
    target = [("a", 1000), ("t", 1500)]
    tail = [("a2", 400), ("t2", 600)]
    compressed = [*kept, ("memory", 260), *tail]
    return [
        request(1, *kept, *target, head=2),
        request(
            2, *kept, *target, ("prompt", 300), head=2, processor="DialogueCompressor", output=250
        ),
        request(2, *compressed, head=2),
        request(3, *compressed, ("a3", 100), ("u3", 50), head=2),
    ]


def test_a_compression_breaks_the_cache_at_the_first_changed_message() -> None:
    cost = net_cost(compressed_in_the_middle(), price(STEPS_OF_128))
    assert used(cost) == [
        (4000, 0, 0, 0),
        (332, 3968, 0, 250),  # 4,000 shared: 31 steps; 32 over and a prompt of 300
        (1352, 1408, 0, 0),  # tools, system and request: 1,500 shared, 11 steps
        (222, 2688, 0, 0),  # 2,760 shared: 21 steps
    ]
    assert [line.broken_at for line in cost.lines] == [None, None, 3, None]
    # 5,906 at 2, 8,064 at 0.5, 250 at 8 a million
    assert cost.net_cost == pytest.approx(0.011812 + 0.004032 + 0.002)
    # 332 at 2, 3,968 at 0.5, 250 at 8 a million
    assert cost.summary_cost == pytest.approx(0.000664 + 0.001984 + 0.002)
    assert cost.tokens == TokenUse(5906, 8064, 0, 250)


def test_where_writing_has_a_price_a_hit_ends_where_a_request_did() -> None:
    cost = net_cost(compressed_in_the_middle(), price(AT_ENDS, cache_write=2.5))
    assert used(cost) == [
        (0, 0, 4000, 0),
        (0, 4000, 300, 250),  # the call goes on where the first request ended
        (0, 1000, 1760, 0),  # no request ended after "u", so only the head is found
        (0, 2760, 150, 0),
    ]
    # 7,760 at 0.5, 6,210 at 2.5, 250 at 8 a million
    assert cost.net_cost == pytest.approx(0.00388 + 0.015525 + 0.002)


def test_nothing_shorter_than_the_minimum_is_kept_or_found() -> None:
    requests = [request(1, ("u", 400)), request(2, ("u", 400), ("a", 111), frame=3)]
    written = net_cost(requests, price(AT_ENDS, cache_write=2.5))
    assert used(written) == [(400, 0, 0, 0), (514, 0, 0, 0)]
    requests.append(request(3, ("u", 400), ("b", 112), frame=3))
    written = net_cost(requests, price(AT_ENDS, cache_write=2.5))
    assert used(written)[2] == (3, 0, 512, 0)


def test_another_model_for_summaries_shares_no_cache_with_the_agent() -> None:
    other = price(STEPS_OF_128, model="cheap", input=0.2, output=1.0)
    requests = [
        replace(each, model="cheap" if each.processor else None)
        for each in compressed_in_the_middle()
    ]
    cost = net_cost(requests, price(STEPS_OF_128), price_of=lambda _: other)
    assert used(cost)[1] == (4300, 0, 0, 250)
    assert [line.price.model for line in cost.lines] == ["test", "cheap", "test", "test"]
    assert cost.summary_cost == pytest.approx(4300 * 0.2e-6 + 250 * 1e-6)


def test_a_model_that_the_table_lacks_has_a_cache_of_its_own_and_is_told() -> None:
    table = load_prices()
    requests = [
        replace(each, model=table.default if each.processor else None)
        for each in compressed_in_the_middle()
    ]
    cost = net_cost(requests, table.price("unheard-of"), price_of=table.price)
    assert cost.lines[1].tokens.cached == 0
    assert cost.priced_as == f"{table.default}, as the table lacks unheard-of; {table.default}"
    same = [replace(each, model="unheard-of") for each in requests]
    cost = net_cost(same, table.price("unheard-of"), price_of=table.price)
    assert cost.lines[1].tokens.cached > 0
    assert cost.priced_as == f"{table.default}, as the table lacks unheard-of"


def test_an_attempt_that_was_given_up_leaves_the_agents_prefix_warm() -> None:
    prefix = [("system", 1000), ("u", 1000), ("t", 1000)]
    requests = [
        request(1, *prefix),
        request(2, *prefix[:2], ("prompt", 100), processor="RoundLevelCompressor", output=9),
        request(2, *prefix, ("a", 40)),
    ]
    assert used(net_cost(requests, price(STEPS_OF_128)))[2] == (40 + 3000 - 2944, 2944, 0, 0)


def test_a_long_request_is_paid_at_its_own_rates_as_a_whole() -> None:
    rates = (Rates(input=1, output=4), Rates(above=100, input=3, output=9))
    tiered = Price("tiered", ModelPrice(rates=rates), None)
    cost = net_cost([request(1, ("u", 100)), request(2, ("u", 101), output=10)], tiered)
    assert [line.cost for line in cost.lines] == pytest.approx([100e-6, (303 + 90) * 1e-6])


def test_the_writer_counts_what_the_engine_counts() -> None:
    counter = StringLengthCounter()
    system, context = conversation("s:90"), conversation("u:40 a{x} t{x}:200")
    tools = [ToolInfo(name="read", description="reads a file")]
    writer = RequestWriter(counter)
    sent = writer.window(1, system, context, tools)
    whole = counter.count_messages([*system, *context]) + counter.count_tools(tools)
    assert sent.tokens == whole
    assert sent.head == 2
    call = writer.summary_call(
        2, "DialogueCompressor", [*system, *context, *conversation("u:30")], tools, answer="x" * 60
    )
    assert call.parts[:5] == sent.parts
    assert call.output == 20
    assert (call.step, call.processor) == (2, "DialogueCompressor")


def test_equal_messages_are_one_part_whichever_object_they_are() -> None:
    writer = RequestWriter(StringLengthCounter())
    one = writer.window(1, [], conversation("u:40 a{x} t{x}:200"))
    two = writer.window(2, [], conversation("u:40 a{x} t{x}:200"))
    three = writer.window(3, [], conversation("u:40 a{y} t{y}:200"))
    assert one.parts == two.parts
    assert one.parts[0] == three.parts[0]
    assert one.parts[1] != three.parts[1]


def test_nothing_sent_costs_nothing() -> None:
    cost = net_cost([RequestWriter(StringLengthCounter()).window(1, [], [])], price(AT_ENDS))
    assert cost.tokens == TokenUse()
    assert net_cost([], price(AT_ENDS)).net_cost == 0


DIGESTS = st.sampled_from("abcdef")
SIZES = {digest: 37 * (i + 1) ** 2 for i, digest in enumerate("abcdef")}
REQUESTS = st.lists(
    st.builds(
        lambda digests, head, processor, output: SentRequest(
            step=1,
            parts=tuple(Part(digest, SIZES[digest]) for digest in digests),
            head=min(head, len(digests)),
            frame=3,
            processor=processor,
            output=output if processor else 0,
        ),
        st.lists(DIGESTS, max_size=8),
        st.integers(0, 3),
        st.sampled_from([None, None, "DialogueCompressor"]),
        st.integers(0, 50),
    ),
    max_size=8,
)
RULES = st.builds(
    CacheRule,
    minimum=st.integers(0, 1500),
    step=st.sampled_from([1, 64, 128]),
    found=st.sampled_from(["anywhere", "at_ends"]),
)


@given(REQUESTS, RULES, st.sampled_from([None, 2.5]))
def test_every_sent_token_has_one_price(
    requests: Sequence[SentRequest], rule: CacheRule, write: float | None
) -> None:
    cost = net_cost(requests, price(rule, cache_write=write))
    for sent, line in zip(requests, cost.lines, strict=True):
        use = line.tokens
        assert min(use.uncached, use.cached, use.written) >= 0
        assert use.sent == sent.tokens
        assert use.output == sent.output
        assert use.cached == 0 or use.cached >= rule.minimum - rule.step + 1
        assert use.cached % rule.step == 0


@given(REQUESTS)
def test_no_caching_is_the_plain_sum(requests: Sequence[SentRequest]) -> None:
    cost = net_cost(requests, price(None))
    tokens = sum(sent.tokens for sent in requests)
    assert cost.net_cost == pytest.approx(
        tokens * 2e-6 + sum(sent.output for sent in requests) * 8e-6
    )


@given(REQUESTS, RULES)
def test_free_caching_never_costs_more_than_none(
    requests: Sequence[SentRequest], rule: CacheRule
) -> None:
    assert net_cost(requests, price(rule)).net_cost <= net_cost(requests, price(None)).net_cost


@given(REQUESTS, RULES, st.sampled_from([None, 2.5]), DIGESTS)
def test_sending_more_behind_finds_no_less_in_front(
    requests: list[SentRequest], rule: CacheRule, write: float | None, digest: str
) -> None:
    if not requests:
        return
    last = requests[-1]
    longer = replace(last, parts=(*last.parts, Part(digest, SIZES[digest])))
    model = price(rule, cache_write=write)
    before = net_cost(requests, model).lines[-1]
    after = net_cost([*requests[:-1], longer], model).lines[-1]
    assert after.tokens.cached >= before.tokens.cached
    assert after.tokens.sent == before.tokens.sent + SIZES[digest]


@given(REQUESTS, RULES, st.integers(1, 500))
def test_a_longer_summary_costs_more(
    requests: list[SentRequest], rule: CacheRule, tokens: int
) -> None:
    longer = [replace(r, output=r.output + tokens * bool(r.processor)) for r in requests]
    more = tokens * sum(bool(r.processor) for r in requests) * 8e-6
    before, after = net_cost(requests, price(rule)), net_cost(longer, price(rule))
    assert after.net_cost == pytest.approx(before.net_cost + more)
    assert after.summary_cost >= before.summary_cost


@given(REQUESTS, RULES)
def test_a_lower_minimum_never_finds_less(requests: Sequence[SentRequest], rule: CacheRule) -> None:
    lower = rule.model_copy(update={"minimum": rule.minimum // 2})
    less = net_cost(requests, price(rule)).tokens.cached
    assert net_cost(requests, price(lower)).tokens.cached >= less
