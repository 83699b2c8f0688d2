"""The skills that the agent loaded last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from engine.messages import Message, ToolCall
from engine.processors.reinjection.source import (
    Signature,
    Source,
    parsed_result,
    read_path,
    signature,
    with_slashes,
)

MAX_SKILLS = 3


def skills(source: Source) -> str:
    """Return the newest skills, oldest of them first; a round with a kept message is skipped."""
    found: list[str] = []
    for position, messages in enumerate(source.rounds):
        skill = _skill_of(source, messages)
        if skill and not _is_shown(source, position):
            found.append(skill)
        if len(found) == MAX_SKILLS:
            break
    cut = source.wording.truncation.section.cut
    header = source.wording.state_header("SKILLS")
    return "\n\n".join(header + cut(skill) for skill in reversed(found))


def _is_shown(source: Source, position: int) -> bool:
    """Return whether a kept message is of a round, or a newer round says the same."""
    signatures = _signatures(source.rounds[position])
    return not source.kept_signatures.isdisjoint(signatures) or any(
        _signatures(newer) == signatures for newer in source.rounds[:position]
    )


def _signatures(messages: Sequence[Message]) -> list[Signature]:
    return list(map(signature, messages))


def _skill_of(source: Source, messages: Sequence[Message]) -> str:
    for answered in source.answered(messages, "skill_tool"):
        if (answered.call.named_arguments.get("relative_file_path") or "SKILL.md") == "SKILL.md":
            skill = _from_skill_tool(source, answered.call, answered.result)
            if skill:
                return skill
    for answered in source.answered(messages, "read_file"):
        path = read_path(answered.call)
        if with_slashes(path).endswith("skill.md"):
            skill = _from_read_file(source, path, answered.result)
            if skill:
                return skill
    return ""


def _from_skill_tool(source: Source, call: ToolCall, result: str) -> str:
    data = parsed_result(result)
    content = data.get("skill_content") if isinstance(data, dict) else None
    if not isinstance(content, str) or not content.strip():
        return ""
    directory = data.get("skill_directory")
    name = call.named_arguments.get("skill_name") or PurePosixPath(str(directory or "")).name
    return source.wording.line(
        "skill_skill_name_path_directory_skill_md",
        skill_name=name,
        directory=directory,
        content=content.strip(),
    )


def _from_read_file(source: Source, path: str, result: str) -> str:
    data = parsed_result(result)
    content = data.get("content") if isinstance(data, dict) else result
    if not isinstance(content, str) or not content.strip():
        return ""
    return source.wording.line(
        "skill_parent_directory_name_path_file_path",
        parent_directory_name=PurePosixPath(path).parent.name,
        file_path=path,
        content=content.strip(),
    )
