"""What a message holds: the items of each kind, and when another message says the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from inspector.insight.item_reader import read_message
from inspector.insight.items import Item, ItemKind
from tests.conversations import CONVERSATIONS, reading


def user(text: str) -> Message:
    return UserMessage(content=text)


def assistant(text: str) -> Message:
    return AssistantMessage(content=text)


def tool(text: str) -> Message:
    return ToolMessage(content=text, tool_call_id="x")


def keys(message: Message, kind: ItemKind) -> list[str]:
    return [item.key for item in read_message(message).items if item.kind == kind]


def the(kind: ItemKind, message: Message) -> Item:
    (item,) = [item for item in read_message(message).items if item.kind == kind]
    return item


def test_instructions_are_the_request_and_every_rule_of_a_user() -> None:
    message = user(
        "Fix the login test. It fails on CI. Do not touch the public API!\n"
        "## Background\nThe test is old. Keep the log format."
    )
    assert keys(message, "instruction") == [
        "fix the login test",
        "do not touch the public api",
        "keep the log format",
    ]
    assert keys(user("请修好测试。不要修改接口。"), "instruction") == ["请修好测试", "不要修改接口"]
    assert keys(assistant("You must never do that."), "instruction") == []
    assert keys(user("<system-reminder>You must be brief."), "instruction") == []
    assert keys(user("# Today\nGood morning!\nThanks, Li. Fix it."), "instruction") == ["fix it"]
    assert keys(user("你好，李薇！\n修好测试。谢谢"), "instruction") == ["修好测试"]
    assert keys(user("Hide it. Thanks, run it."), "instruction") == ["hide it"]
    assert keys(user("Hey, never push."), "instruction") == ["hey, never push"]
    logged = "Look at this.\n13:40:16.7 worker-3 no answer sent\n[2026-03-01 13:40:17] must wait"
    assert keys(user(logged), "instruction") == ["look at this"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/app/main.py:12 and README.md.", ["src/app/main.py", "README.md"]),
        ("wrote C:\\repo\\a.txt", ["C:/repo/a.txt"]),
        ("open ./run/check.sh now", ["run/check.sh"]),
        ("diff --git a/src/x.py b/src/x.py", ["src/x.py"]),
        ("created docs/oncall.zh.md (13 lines)", ["docs/oncall.zh.md"]),
        ("see /srv/报告/对账-03.csv: 37 rows", ["/srv/报告/对账-03.csv"]),
        ("get https://example.com/a/b.html", []),
        ("either/or, 3/4 of it, HTTP/1.1 since 19/Mar/2026", []),
        ("awk '/took=[0-9]/' /srv/a-1[678].log /srv/b.*.log", ["/srv"]),
        ("sed -i 's/smoke/back/g; s/^x$/import y/' -o/x src/a.py", ["src/a.py"]),
    ],
)
def test_paths(text: str, found: list[str]) -> None:
    assert keys(tool(text), "path") == found


def test_paths_and_commands_stand_in_fields_of_calls() -> None:
    script = "cd /repo && make check\npython - <<'E'\nimport sys\nE"
    call = ToolCall(id="1", name="bash", arguments=json.dumps({"command": script, "path": "src"}))
    message = AssistantMessage(tool_calls=[call])
    assert keys(message, "command") == ["cd /repo && make check"]
    assert "src" in keys(message, "path")


def test_commands_of_prompts_and_backticks() -> None:
    assert keys(tool("$ git log --oneline -3\nabc"), "command") == ["git log --oneline -3"]
    assert keys(assistant("I ran `pytest -x tests/a.py` twice."), "command") == [
        "pytest -x tests/a.py"
    ]
    assert keys(assistant("We make progress and go on."), "command") == []


def test_identifiers_of_people_and_opaque_ones_of_anybody() -> None:
    text = "parse_date, parseDate, DateParser and parse() break since 9fceb02 (ABC-77, #123)"
    opaque = ["9fceb02", "ABC-77", "#123"]
    assert sorted(keys(assistant(text), "identifier")) == sorted(
        ["parse_date", "parseDate", "DateParser", "parse", *opaque]
    )
    assert keys(tool(text), "identifier") == opaque
    assert keys(assistant("UTF-8 is plain, 1234567 too, and deadbeef"), "identifier") == []


def test_errors_begin_with_their_name() -> None:
    assert keys(tool("E   ValueError: bad date 'x'"), "error") == ["valueerror: bad date x"]
    assert keys(tool("E   - 4990\nE   + 4865\nE     +  where 1 = f(2)"), "error") == []
    assert keys(tool("EXPONENTS = {}\nEACCES on write"), "error") == ["eacces on write"]
    assert keys(tool("src/a.py:3: FAILED in 2 s"), "error") == ["failed in 2 s"]
    assert keys(assistant("The test FAILED again."), "error") == []
    assert keys(user("I get KeyError: 'name' here"), "error") == ["keyerror: name here"]


def test_numbers_carry_their_name_and_unit() -> None:
    assert keys(tool("limit = 4,096 rows, took 12.5 s"), "number") == [
        "limit 4096 rows",
        "took 12.5 s",
    ]
    assert keys(tool('{"max_retries": 5}'), "number") == ["max_retries 5"]
    assert keys(user("超时时间设为 30 秒"), "number") == ["时间 30 秒"]
    assert keys(tool('limit = "%4d rows"'), "number") == []
    assert keys(tool("at 12:30:01 on 2024-05-06, version 1.2.3, a.py:7"), "number") == []


def test_urls_end_before_punctuation() -> None:
    text = "(see https://a.example/b?c=1). Or https://a.example/d_(e), 或https://a.example/f。"
    assert keys(tool(text), "url") == [
        "https://a.example/b?c=1",
        "https://a.example/d_(e)",
        "https://a.example/f",
    ]


def test_todos_are_open_until_they_are_shown_as_done() -> None:
    listed = [
        {"content": "Write the docs", "status": "pending"},
        {"content": "Fix tests", "status": "completed"},
    ]
    _, result = reading("1", json.dumps({"todos": listed}), "todo_read")
    assert keys(result, "todo") == ["write the docs"]
    assert read_message(result).closed == {"fix tests"}
    assert keys(assistant("- [ ] add a test\n- [x] fix it"), "todo") == ["add a test"]
    assert read_message(assistant("- [ ] add a test\n- [x] fix it")).closed == {"fix it"}
    assert keys(assistant("I looked. TODO: check utf-8"), "todo") == ["check utf-8"]
    assert keys(tool("# TODO: refactor"), "todo") == []


def test_a_line_with_a_credential_is_no_source() -> None:
    assert read_message(user("Never use api_key=abcdefghijkl in /srv/a.py")).items == ()


@pytest.mark.parametrize(
    ("kind", "source", "window", "held"),
    [
        ("instruction", user("Do not touch `main`!"), "- do not  touch main", True),
        ("instruction", user("Do not touch it"), "I do not touch italics", False),
        ("path", tool("/repo/src/app/a.py"), "see /repo/src/app/a.py", True),
        ("path", tool("/repo/src/app/a.py"), "see app/a.py", True),
        ("path", tool("/repo/src/app/a.py"), "see a.py", False),
        ("path", tool("/repo/src/app/a.py"), "see /other/app/a.py", False),
        ("path", tool("app/a.py"), "see /repo/src/app/a.py", True),
        ("path", tool("app/a.py"), "see /repo/myapp/a.py", False),
        ("path", tool("/repo/src/app/a.py"), "src/app/{b, a}.py", True),
        ("path", tool("/repo/src/app/a.py"), "src/app/{b,c}.py", False),
        ("path", tool("~/app/a.py"), "see /home/me/app/a.py", True),
        ("path", tool("../app/a.py"), "see ~/app/a.py.", True),
        ("path", tool("../app/a.py"), "see ~/app/a.pyi", False),
        ("path", tool(".github/a.yml"), "see github/a.yml", False),
        ("path", tool("in /repo/src/app"), "see /repo/src/app/a.py", True),
        ("path", tool("in /repo/src/app"), "see /repo/src/apple/a.py", False),
        ("number", tool("timeout is 12 s"), "after 12 s", True),
        ("number", tool("timeout is 12 s"), "timeout: 12", True),
        ("number", tool("timeout is 12 s"), "there are 12 of them", False),
        ("number", tool("timeout is 12 s"), "timeout: 120", False),
        ("number", tool("timeout is 12 s"), "after 12 seconds", True),
        ("number", tool("timeout is 12 s"), "after 12 sec", True),
        ("number", tool("timeout is 12 s"), "after 12 ms", False),
        ("number", tool("found 3 rows"), "the 3rd row", False),
        ("number", tool("found 12,000 rows"), "each 12000 row", True),
        ("number", tool("limit = 4,096"), "the limit of 4096", True),
        ("identifier", assistant("parse_date"), "`parse_date` was fixed", True),
        ("identifier", assistant("parse_date"), "parse_dates was fixed", False),
        ("identifier", assistant("parse_date"), "Parse_Date was fixed", False),
        ("identifier", tool("commit 9fceb02d3a"), "since 9fceb02", True),
        ("identifier", tool("commit 9fceb02"), "since 9fceb02d3a7e", True),
        ("identifier", tool("commit 9fceb02"), "since 9fceb03d3a7e", False),
        ("url", tool("https://a.example/b"), "at https://a.example/b.", True),
        ("url", tool("https://a.example/b"), "at https://a.example/bc", False),
        ("url", tool("https://a.example/b/"), "at https://a.example/b", True),
        ("command", tool("$ make test -j2"), "ran `make test -j2`", True),
        ("command", tool("$ make test -j2"), "ran make test -j20", False),
        ("command", tool("$ make test --dry"), "ran make test --dry-run", False),
        ("command", tool("$ cat /srv/a"), "ran cat /srv/a/b", False),
        ("command", tool("$ cat /srv/a"), "ran cat /srv/a.", True),
        ("command", tool("$ run tests"), "dry-run tests", False),
        ("error", tool("ValueError: no date"), "got a valueerror: no date.", True),
        ("todo", assistant("TODO: check utf-8"), "still to check utf-8", True),
    ],
)
def test_when_a_message_holds_an_item(
    kind: ItemKind, source: Message, window: str, held: bool
) -> None:
    item = the(kind, source)
    assert read_message(tool(window)).holds(item) == held
    assert read_message(user(f"<memory_block_round>\n{window}")).holds(item) == held


@given(CONVERSATIONS)
def test_a_message_holds_all_that_it_is_the_source_of(messages: list[Message]) -> None:
    for message in messages:
        read = read_message(message)
        assert all(read.holds(item) for item in read.items)


LINES = st.sampled_from(
    [
        "Never edit /srv/app/conf.yaml.",
        "$ make check -j4",
        "ValueError: bad date 'x' in row 7",
        "the limit is 4,096 rows",
        "see https://a.example/b?c=1.",
        "TODO: look at parse_date()",
        "不要修改接口。超时时间设为 30 秒",
        '{"path": "src/a.py", "count": 12}',
        "plain words",
        "",
    ]
)


@given(st.lists(LINES | st.text(max_size=40), max_size=6), st.integers(0, 6))
def test_a_line_copied_elsewhere_is_held_there(lines: list[str], place: int) -> None:
    source = tool("\n".join(lines))
    copied = ["something before", *lines, "something after"]
    copied.insert(min(place, len(copied)), "in between")
    held = read_message(tool("\n".join(copied)))
    assert all(held.holds(item) for item in read_message(source).items)


@given(st.text(alphabet="a1_./-\\:，秒 `\"'[]xTODOE", max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for message in (user(text), assistant(text), tool(text)):
        read = read_message(message)
        assert all(item.key and item.signs for item in read.items)
