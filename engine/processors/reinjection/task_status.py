"""What runs beside the agent: background tasks, or the state of its team."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from engine.messages import ToolCall
from engine.processors.reinjection.source import Source, clipped, dictionaries, signature

MAX_CALLS = 20
RESULT_CHARS = 200
SUMMARY_CHARS = 80
FINISHED = ("completed", "error", "canceled")


def task_status(source: Source) -> str:
    """Return the team's state when the session has one, else the background tasks."""
    team = source.state.get("team_task_status")
    return _team(source, team) if isinstance(team, Mapping) else _background(source)


def _background(source: Source) -> str:
    line = source.wording.line
    lines = []
    for task in dictionaries(source.state.get("background_tasks")):
        status = task.get("status")
        described = {
            "description": task.get("description") or line("background_task"),
            "task_id": task.get("task_id") or "unknown",
        }
        if status == "running":
            key = "background_agent_description_task_id_is_still"
            lines.append(line(key, **described))
        elif status in FINISHED:
            key = "background_agent_description_task_id_status_status"
            lines.append(line(key, **described, status=status))
    return "\n".join(lines)


def _team(source: Source, team: Mapping[str, Any]) -> str:
    line = source.wording.line
    lines = [
        *_members(source, team.get("members")),
        *_open_tasks(source, team.get("open_tasks")),
        *_signals(source, team.get("has_unread_messages")),
        *_collaboration(source),
    ]
    if not lines:
        return ""
    name = line("team_team_name", team_name=team.get("team_name", "unknown"))
    return "\n".join([line("team_collaboration_state"), name, *lines])


def _members(source: Source, members: Any) -> list[str]:
    if not members:
        return []
    line = source.wording.line
    return [
        "",
        line("current_members"),
        *(
            line(
                "member_name_role_role_status_status",
                member_name=member.get("member_name", "unknown"),
                role=member.get("role", ""),
                status=member.get("status", "unknown"),
            )
            for member in dictionaries(members)
        ),
    ]


def _open_tasks(source: Source, tasks: Any) -> list[str]:
    if not tasks:
        return []
    line = source.wording.line
    return [
        "",
        line("open_tasks"),
        *(
            line(
                "task_id_status_title_assignee_assignee",
                task_id=task.get("task_id", "unknown"),
                status=task.get("status", "unknown"),
                title=task.get("title", ""),
                assignee=task.get("assignee") or "unassigned",
            )
            for task in dictionaries(tasks)
        ),
    ]


def _signals(source: Source, unread: Any) -> list[str]:
    line = source.wording.line
    return ["", line("team_signals"), line("unread_team_messages_exist")] if unread else []


def _collaboration(source: Source) -> list[str]:
    """Return the team calls of messages that are not kept, oldest first."""
    calls = (
        call
        for message in source.messages
        if message.calls and signature(message) not in source.kept_signatures
        for call in message.calls
        if call.name in _ACTIONS
    )
    lines = [_call_line(source, call) for call in islice(calls, MAX_CALLS)]
    return ["", source.wording.line("recovered_collaboration_history"), *lines] if lines else []


def _call_line(source: Source, call: ToolCall) -> str:
    line = source.wording.line
    text = line(
        "action_desc_tool_name", action_desc=_ACTIONS[call.name](source, call), tool_name=call.name
    )
    result = source.results.get(call.id or "", "")
    compact = " ".join(part for raw in result.splitlines() if (part := raw.strip()))
    if compact:
        text += line("result_compacted", compacted=clipped(compact, RESULT_CHARS))
    return text


def _send_message(source: Source, call: ToolCall) -> str:
    line, given = source.wording.line, call.named_arguments
    to = given.get("to")
    if isinstance(to, list):
        targets = ", ".join(str(item) for item in to if item)
        base = line("sent_message_to_targets", targets=targets) if targets else line("sent_message")
    elif to == "*":
        base = line("broadcast_message_to_the_team")
    else:
        base = line("sent_message_to_to_raw", to_raw=to) if to else line("sent_message")
    summary = str(given.get("summary") or "").strip()
    text = summary or clipped(str(given.get("content") or ""), SUMMARY_CHARS)
    return line("base_summary", base=base, summary=text) if text else base


def _view_task(source: Source, call: ToolCall) -> str:
    line, given = source.wording.line, call.named_arguments
    action = given.get("action") or "list"
    if action == "get":
        task_id = given.get("task_id")
        if task_id:
            return line("viewed_task_task_id", task_id=task_id)
        return line("viewed_task_details")
    if action == "claimable":
        return line("listed_claimable_tasks")
    status = given.get("status")
    if status:
        return line("listed_tasks_with_status_status", status=status)
    return line("listed_tasks")


def _claim_task(source: Source, call: ToolCall) -> str:
    line, given = source.wording.line, call.named_arguments
    task_id, status = given.get("task_id") or "?", given.get("status")
    if status == "completed":
        return line("marked_task_task_id_as_completed", task_id=task_id)
    if status == "claimed":
        return line("claimed_task_task_id", task_id=task_id)
    key = "updated_task_task_id_with_status_status"
    return line(key, task_id=task_id, status=status)


def _complete_task(source: Source, call: ToolCall) -> str:
    line, given = source.wording.line, call.named_arguments
    task_id = given.get("task_id") or "?"
    note = str(given.get("note") or "").strip()
    if not note:
        return line("completed_own_task_task_id", task_id=task_id)
    return line(
        "completed_own_task_task_id_note_short",
        task_id=task_id,
        note_short=clipped(note, SUMMARY_CHARS),
    )


_ACTIONS = {
    "send_message": _send_message,
    "view_task": _view_task,
    "claim_task": _claim_task,
    "member_complete_task": _complete_task,
}
"""What each call of the team's tools is told as, by tool."""
