"""The text of the plan file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from engine.processors.reinjection.source import Source

_ANNOUNCED = re.compile(r"Plan file created at:\s*([^\n]+?\.md)(?=\r?\n|$)", re.MULTILINE)


def plan(source: Source) -> str:
    """Return path and text of the session's plan; empty without one."""
    slug = source.plan_mode.get("plan_slug")
    if not slug or source.workspace is None:
        return ""
    own = source.workspace.declared(".plans", f"{slug}.md")
    for path in (own, *_announced(source, str(slug))):
        if source.workspace.holds(path):
            text = source.workspace.read_text(path)
            if text is None:
                return ""
            told = source.wording.line(
                "current_plan_file_plan_path_plan_text", plan_path=path, plan_text=text
            )
            return source.wording.truncation.section.cut(told)
    return ""


def _announced(source: Source, slug: str) -> Iterator[str]:
    """Yield the paths that `enter_plan_mode` results name for this plan."""
    for answered in source.answered(source.messages, "enter_plan_mode"):
        announced = _ANNOUNCED.search(answered.result)
        if announced:
            path = PurePosixPath(announced.group(1))
            if path.stem == slug:
                yield str(path)
