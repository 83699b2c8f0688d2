"""What compressions leave: balances, losses and returns, and 200 conversations with canaries."""

import asyncio
import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from inspector.insight.canaries import Canary, draw_canaries, followed, plant
from inspector.insight.item_reader import ItemReader
from inspector.insight.items import KINDS
from inspector.insight.retention import Held, Retention, WindowStep, mean_share, retention
from inspector.replay.cases.case import Case
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from tests.conversations import CONVERSATIONS, calling


def user(text: str) -> Message:
    return UserMessage(content=text)


def tool(text: str) -> Message:
    return ToolMessage(content=text, tool_call_id="x")


def memory(text: str) -> Message:
    return user(f"<memory_block_round>\n<summary>\n{text}\n</summary>")


def lost(found: Retention) -> list[tuple[str, str, int]]:
    return [(loss.item.kind, loss.item.key, loss.step) for loss in found.lost]


RULE = user("Keep the public interface.")
READ = tool("port = 8080 in /srv/app/conf.yaml")
FAIL = tool("ValueError: bad row 7")
NEXT = user("Go on.")


def test_without_a_compression_everything_is_held() -> None:
    found = retention([WindowStep(1, [RULE], [RULE]), WindowStep(2, [READ], [RULE, READ])])
    assert found.compressions == ()
    assert found.lost == ()
    assert found.share == 1.0
    assert found.kinds["instruction"] == Held(1, 1)
    assert found.kinds["path"] == Held(1, 1)
    assert found.kinds["url"] == Held(0, 0)


def test_nothing_at_all_is_no_loss() -> None:
    assert retention([]).share == 1.0
    assert retention([WindowStep(1, [], [])]).compressions == ()


def test_a_compression_is_judged_by_what_went_with_it() -> None:
    block = memory("- Keep the public interface\n- conf.yaml lies in /srv/app/conf.yaml")
    found = retention(
        [
            WindowStep(1, [RULE, READ, FAIL, NEXT], [RULE, READ, FAIL, NEXT]),
            WindowStep(2, [], [block, NEXT], ("DialogueCompressor",)),
        ]
    )
    (compression,) = found.compressions
    assert compression.step == 2
    assert compression.processors == ("DialogueCompressor",)
    assert compression.messages == 3
    assert compression.kinds["instruction"] == Held(1, 1)  # "Go on." did not go
    assert compression.kinds["path"] == Held(1, 1)
    assert compression.kinds["error"] == Held(0, 1)
    assert compression.kinds["number"] == Held(0, 1)
    assert compression.share == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert found.kinds["instruction"] == Held(2, 2)
    assert lost(found) == [
        ("number", "port 8080", 2),
        ("error", "valueerror: bad row 7", 2),
    ]
    loss = found.lost[0]
    assert (loss.place.position, loss.place.role) == (1, "tool")
    assert loss.item.text == "port = 8080"
    assert loss.processors == ("DialogueCompressor",)


def test_a_loss_points_to_its_message_by_id() -> None:
    message = FAIL.revised(metadata={"context_message_id": "a" * 32})
    found = retention([WindowStep(1, [NEXT, message], [NEXT])])
    assert [loss.place.message_id for loss in found.lost] == ["a" * 32]


def test_what_is_lost_stays_lost_over_rounds_until_it_comes_back() -> None:
    first = memory("port = 8080")
    again = tool("cat /srv/app/conf.yaml")
    found = retention(
        [
            WindowStep(1, [READ, FAIL], [READ, FAIL]),
            WindowStep(2, [], [first], ("A",)),
            WindowStep(3, [NEXT], [first, NEXT]),
            WindowStep(4, [], [memory("nothing"), NEXT], ("B",)),
            WindowStep(5, [again], [memory("nothing"), NEXT, again]),
        ]
    )
    one, two = found.compressions
    assert [loss.item.kind for loss in one.lost] == ["path", "error"]
    assert one.kinds["number"] == Held(1, 1)
    assert two.kinds["number"] == Held(0, 1)  # what the first block held
    assert two.kinds["error"] == Held(0, 0)
    assert [loss.item.key for loss in two.lost] == ["port 8080"]
    assert [loss.step for loss in found.lost] == [4, 2]
    assert [(loss.item.key, loss.step) for loss in found.back] == [("/srv/app/conf.yaml", 2)]


def test_what_comes_back_may_go_again() -> None:
    again = tool("cat /srv/app/conf.yaml")
    found = retention(
        [
            WindowStep(1, [READ], []),
            WindowStep(2, [again], [again]),
            WindowStep(3, [], [NEXT], ("B",)),
        ]
    )
    assert [loss.step for loss in found.lost if loss.item.kind == "path"] == [3]
    assert found.back == ()


def test_a_message_that_is_cut_on_its_way_in_was_compressed_too() -> None:
    stub = tool("port = 8080 [cut]")
    found = retention([WindowStep(1, [NEXT, READ], [NEXT, stub], ("MessageOffloader",))])
    assert [c.messages for c in found.compressions] == [1]
    assert lost(found) == [("path", "/srv/app/conf.yaml", 1)]


def test_blocks_of_the_engine_and_system_messages_hold_but_are_no_source() -> None:
    system = SystemMessage(content="Configuration: /srv/app/conf.yaml")
    block = memory("see /srv/other.py and https://a.example/b")
    found = retention(
        [
            WindowStep(1, [READ, block], [system, READ, block]),
            WindowStep(2, [], [system], ("A",)),
        ]
    )
    assert found.kinds["path"] == Held(1, 1)
    assert found.kinds["url"] == Held(0, 0)
    assert lost(found) == [("number", "port 8080", 2)]


def test_a_todo_that_was_done_is_not_asked_for() -> None:
    open_, done = (
        AssistantMessage(content="- [ ] add a test"),
        AssistantMessage(content="- [x] add a test"),
    )
    steps = [WindowStep(1, [open_], [open_]), WindowStep(2, [], [NEXT], ("A",))]
    assert lost(retention(steps)) == [("todo", "add a test", 2)]
    found = retention([*steps, WindowStep(3, [done], [NEXT, done])])
    assert found.lost == found.back == ()
    assert found.kinds["todo"] == Held(0, 0)


def test_the_same_message_twice_goes_when_both_went() -> None:
    steps = [WindowStep(1, [READ, READ], [READ, READ]), WindowStep(2, [], [READ])]
    assert retention(steps).compressions == ()


def test_the_share_is_the_mean_of_the_kinds_that_have_items() -> None:
    assert mean_share({"path": Held(1, 4), "url": Held(1, 1), "error": Held()}) == 0.625
    assert mean_share({}) == 1.0


@given(CONVERSATIONS, st.data())
def test_balances_of_any_windows_add_up(messages: list[Message], data: st.DataObject) -> None:
    steps = []
    added = 0
    for number in range(1, 5):
        more = data.draw(st.integers(0, len(messages) - added))
        new = messages[added : added + more]
        added += more
        kept = [m for m in messages[:added] if data.draw(st.booleans())]
        steps.append(WindowStep(number, new, kept, ("A",)))
    found = retention(steps)
    assert retention(steps, ItemReader()) == found
    for kinds in (found.kinds, *(c.kinds for c in found.compressions)):
        assert list(kinds) == list(KINDS)
        assert all(0 <= count.held <= count.total for count in kinds.values())
    assert len(found.lost) == sum(n.total - n.held for n in found.kinds.values())
    for compression in found.compressions:
        missing = sum(n.total - n.held for n in compression.kinds.values())
        assert len(compression.lost) <= missing
    ids = [(loss.item.kind, loss.item.key) for loss in (*found.lost, *found.back)]
    assert len(ids) == len(set(ids))


# 200 conversations with canaries

FILLER = [
    "The build passed.",
    "def parse_row(row): return row.split(',')",
    "src/app/main.py:12: unused import",
    "limit = 4,096 rows, 37 passed in 12.5 s",
    '{"path": "src/a.py", "status": "ok", "count": 12}',
    "https://a.example/docs is down",
    "Please keep the names as they are.",
    "ERROR app.worker: queue is full",
    "下一步检查配置文件。",
]


def talk(rng: random.Random) -> list[Message]:
    messages: list[Message] = []
    for turn in range(rng.randint(2, 5)):
        messages.append(user("\n".join(rng.choices(FILLER, k=rng.randint(1, 3)))))
        for call in range(rng.randint(0, 3)):
            name = f"c{turn}_{call}"
            messages.append(calling(name, content=rng.choice(["", *FILLER])))
            text = "\n".join(rng.choices(FILLER, k=rng.randint(1, 6)))
            messages.append(ToolMessage(content=text, tool_call_id=name))
        messages.append(AssistantMessage(content=rng.choice(FILLER)))
    return messages


def windows(messages: list[Message], rng: random.Random) -> Iterator[WindowStep]:
    """Yield windows of which some are compressed into a block of random lines of what went."""
    window: list[Message] = []
    added = 0
    for step in range(1, 8):
        new = messages[added:] if step == 7 else messages[added : added + rng.randint(0, 6)]
        added += len(new)
        window = [*window, *new]
        if rng.random() < 0.5 and window:
            start = rng.randrange(len(window))
            end = rng.randint(start + 1, len(window))
            lines = [line for m in window[start:end] for line in m.text.splitlines()]
            kept = [f"- {line}" for line in lines if rng.random() < 0.4 and "memory" not in line]
            window = [*window[:start], memory("\n".join(kept)), *window[end:]]
        yield WindowStep(step, new, list(window), ("A",))


def says(window: Sequence[Message], canary: Canary) -> bool:
    return any(canary.item.text in message.text for message in window)


@pytest.mark.parametrize("seed", range(200))
def test_planted_items_are_found_or_reported_lost(seed: int) -> None:
    rng = random.Random(seed)
    messages = talk(rng)
    canaries = draw_canaries(messages, 10, seed)
    steps = list(windows(plant(messages, canaries), rng))
    found = retention(steps)
    assert len(canaries) >= 8
    for canary, loss in followed(canaries, found):
        assert (loss is None) == says(steps[-1].window, canary), canary
        if loss is not None:
            assert loss.place.position == canary.position
            before = [step for step in steps if step.step < loss.step and says(step.window, canary)]
            fresh = [step for step in steps if step.step == loss.step and step.added]
            assert before or fresh
            assert not any(says(s.window, canary) for s in steps if s.step >= loss.step)


def test_planting_changes_no_given_message_and_only_adds() -> None:
    messages = [*talk(random.Random(1)), UserMessage(content=[{"type": "text", "text": "look"}])]
    before = [message.model_copy() for message in messages]
    canaries = draw_canaries(messages, 24, seed=5)
    planted = plant(messages, canaries)
    assert messages == before
    assert {canary.item.kind for canary in canaries} == set(KINDS)
    assert len({canary.item.key for canary in canaries}) == 24
    for message, grown in zip(messages, planted, strict=True):
        assert grown.text.startswith(message.text)
    assert all(canary.line in planted[canary.position].text for canary in canaries)
    assert draw_canaries(messages, 24, seed=5) == canaries
    assert draw_canaries([memory("x")], 5) == []


def replayed(messages: list[Message], **settings: float) -> Run:
    case = Case(
        context_window_tokens=600,
        processors=[("DialogueCompressor", {"min_target_context_ratio": 0.05, **settings})],
        messages=[message.to_chat() for message in messages],
    )
    return asyncio.run(replay(case, summarizer="extractive"))


def steps_of(run: Run) -> Iterator[WindowStep]:
    conversation, added = run.case.conversation(), 0
    for step in run.steps:
        if step.window is not None:
            made = [o.processor for o in step.outcomes if o.outcome == "compressed"]
            window = [*run.case.system(), *step.window.messages]
            yield WindowStep(
                step.number or 0, conversation[added : step.added], window, tuple(made)
            )
            added = step.added


@pytest.mark.parametrize("seed", range(10))
def test_canaries_are_followed_through_a_replay(seed: int) -> None:
    messages = talk(random.Random(seed)) * 4
    canaries = draw_canaries(messages, 16, seed)
    run = replayed(plant(messages, canaries), trigger_context_ratio=0.5)
    steps = list(steps_of(run))
    found = retention(steps)
    assert any(c.processors == ("DialogueCompressor",) for c in found.compressions)
    for canary, loss in followed(canaries, found):
        assert (loss is None) == says(steps[-1].window, canary), canary


def test_a_replay_that_compresses_nothing_loses_nothing() -> None:
    found = retention(steps_of(replayed(talk(random.Random(3)), trigger_context_ratio=0.99)))
    assert found.share == 1.0
