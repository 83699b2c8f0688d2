"""Background tasks and team (`engine.md` G (ii))."""

import json
from typing import Any

import pytest

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage
from tests.recovered import recovered

TEAM_HEAD = ["team_collaboration_state", "team_team_name team_name=core"]


def status(
    state: dict[str, Any], messages: list[Message] | None = None, kept: list[Message] | None = None
) -> list[str]:
    sections = recovered(messages or [], kept or [], state=state, builders=["task_status"])
    return sections.get("task_status", "").split("\n") if sections else []


def team(**fields: Any) -> dict[str, Any]:
    return {"team_task_status": {"team_name": "core", **fields}}


def called(name: str, result: str = "", **arguments: Any) -> list[Message]:
    call = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    return [
        AssistantMessage(tool_calls=[call]),
        ToolMessage(content=result, tool_call_id="c"),
    ]


def test_background_tasks() -> None:
    tasks = [
        {"task_id": "t1", "description": "index", "status": "running"},
        {"task_id": "t2", "status": "completed"},
        {"description": "lint", "status": "error"},
        {"task_id": "t4", "status": "canceled"},
        {"task_id": "t5", "status": "queued"},
        "no task",
    ]
    ended = "background_agent_description_task_id_status_status"
    assert status({"background_tasks": tasks}) == [
        "background_agent_description_task_id_is_still description=index task_id=t1",
        f"{ended} description=background_task task_id=t2 status=completed",
        f"{ended} description=lint task_id=unknown status=error",
        f"{ended} description=background_task task_id=t4 status=canceled",
    ]


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"background_tasks": [{"status": "queued"}]},
        {"background_tasks": "x"},
        team(),
        {**team(members=[]), "background_tasks": [{"status": "running"}]},  # a team hides tasks
    ],
)
def test_nothing_to_tell(state: dict[str, Any]) -> None:
    assert status(state) == []


def test_a_team() -> None:
    members = [{"member_name": "ann", "role": "dev", "status": "busy"}, {"role": None}, "nobody"]
    tasks = [{"task_id": 7, "status": "open", "title": "fix", "assignee": ""}, {}]
    member, task = (
        "member_name_role_role_status_status",
        "task_id_status_title_assignee_assignee",
    )
    assert status(team(members=members, open_tasks=tasks, has_unread_messages=True)) == [
        *TEAM_HEAD,
        "",
        "current_members",
        f"{member} member_name=ann role=dev status=busy",
        f"{member} member_name=unknown role=None status=unknown",
        "",
        "open_tasks",
        f"{task} task_id=7 status=open title=fix assignee=unassigned",
        f"{task} task_id=unknown status=unknown title= assignee=unassigned",
        "",
        "team_signals",
        "unread_team_messages_exist",
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("send_message", {"to": ["ann", "", "bob"]}, "sent_message_to_targets targets=ann, bob"),
        ("send_message", {"to": [""]}, "sent_message"),
        ("send_message", {"to": "*"}, "broadcast_message_to_the_team"),
        ("send_message", {"to": "ann"}, "sent_message_to_to_raw to_raw=ann"),
        ("send_message", {}, "sent_message"),
        (
            "send_message",
            {"summary": " ", "content": "x" * 81},
            "base_summary base=sent_message summary=" + "x" * 80 + "...",
        ),
        (
            "send_message",
            {"summary": " " + "x" * 81, "content": "y"},
            "base_summary base=sent_message summary=" + "x" * 81,
        ),
        ("send_message", {"content": " y "}, "base_summary base=sent_message summary= y "),
        ("view_task", {}, "listed_tasks"),
        ("view_task", {"status": "open"}, "listed_tasks_with_status_status status=open"),
        ("view_task", {"action": "claimable", "status": "open"}, "listed_claimable_tasks"),
        ("view_task", {"action": "get", "task_id": 3}, "viewed_task_task_id task_id=3"),
        ("view_task", {"action": "get"}, "viewed_task_details"),
        (
            "claim_task",
            {"task_id": 3, "status": "completed"},
            "marked_task_task_id_as_completed task_id=3",
        ),
        ("claim_task", {"task_id": 3, "status": "claimed"}, "claimed_task_task_id task_id=3"),
        ("claim_task", {}, "updated_task_task_id_with_status_status task_id=? status=?"),
        ("member_complete_task", {"task_id": 3}, "completed_own_task_task_id task_id=3"),
        (
            "member_complete_task",
            {"note": " ok "},
            "completed_own_task_task_id_note_short task_id=? note_short=ok",
        ),
    ],
)
def test_team_calls(name: str, arguments: dict[str, Any], told: str) -> None:
    lines = status(team(), called(name, **arguments))
    line = f"action_desc_tool_name action_desc={told} tool_name={name}"
    assert lines == [*TEAM_HEAD, "", "recovered_collaboration_history", line]


def test_a_team_without_a_name_is_unknown() -> None:
    lines = status({"team_task_status": {"has_unread_messages": True}})
    assert lines[1] == "team_team_name team_name=unknown"


def test_the_result_of_a_team_call_is_compacted() -> None:
    lines = status(team(), called("view_task", result="  a \n\n b\n" + "c" * 300))
    assert lines[-1].endswith(
        "tool_name=view_taskresult_compacted compacted=a b " + "c" * 196 + "..."
    )


def test_team_calls_of_kept_messages_are_left_out_and_twenty_are_told() -> None:
    calls = [
        AssistantMessage(content=str(n), tool_calls=[ToolCall(id=str(n), name="view_task")])
        for n in range(30)
    ]
    lines = status(team(), [*calls], [calls[0], calls[1]])
    assert len([line for line in lines if line.startswith("action_desc")]) == 20
    assert status(team(), [calls[0]], [calls[0]]) == []
