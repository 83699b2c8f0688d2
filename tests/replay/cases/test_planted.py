"""Canaries in a case: the same each time, told apart from what stood there, kept or lost."""

import asyncio

from engine.summarizers.recorded import Reply
from inspector.insight.canaries import followed
from inspector.replay.cases.planted import canaries_of, planted
from inspector.replay.comparisons.insights import Insights
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from tests.swept import small_case

SYSTEM = [{"role": "system", "content": "You are an agent."}]
CASE = small_case(messages=[*SYSTEM, *small_case().messages])


def run(**fields: object) -> Run:
    return asyncio.run(replay(planted(CASE, 16).model_copy(update=fields)))


def test_a_planted_case_is_the_same_each_time_and_says_more_at_the_canaries_places() -> None:
    made = planted(CASE, 16)
    assert made == planted(CASE, 16)
    assert planted(CASE, 0) == CASE
    lines = {canary.position + 1: canary.line for canary in canaries_of(CASE, 16)}
    for at, (before, after) in enumerate(zip(CASE.messages, made.messages, strict=True)):
        assert after["content"].startswith(before["content"])
        assert lines.get(at, "") in after["content"]
        assert (after == before) is (at not in lines)


def test_canaries_are_lost_by_compressions_alone() -> None:
    canaries = canaries_of(CASE, 16)
    whole = Insights().retention(run(processors=[]))
    assert [loss for _, loss in followed(canaries, whole)] == [None] * 16
    forgetful = run(replies=[Reply(content="Nothing.")] * 9)
    traced = followed(canaries, Insights().retention(forgetful))
    lost = [canary for canary, loss in traced if loss is not None]
    said = "\n".join(message.text for message in forgetful.final_messages)
    assert lost == [canary for canary in canaries if canary.line not in said]
    assert 0 < len(lost) < len(canaries)
