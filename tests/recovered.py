"""State that a compression puts back, in wording that shows keys and values instead of prose."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from engine.messages import Message
from engine.processors.reinjection import BUILDERS, recovered_message
from engine.session import Session
from engine.wording import Wording
from tests.scripted import bench

TEMPLATE = '<recovered_context><section name="{builder}">{text}</section></recovered_context>'
SEPARATOR = "\n=====\n"


@cache
def keyed_wording() -> Wording:
    """Return wording whose every line is its key and its values: `active_mode_mode mode=plan`."""
    lines = {
        key: " ".join([key, *(f"{m[1]}={m[0]}" for m in re.finditer(r"\{(\w+)[^}]*\}", template))])
        for key, template in Wording.default().reinjection_lines.lines.items()
    }
    recovered = {"template": TEMPLATE, "section_separator": SEPARATOR}
    return Wording.from_data(
        {"reinjection_lines": {"lines": lines}, "recovered_context": recovered}
    )


def recovered(
    messages: Sequence[Message] = (),
    kept: Sequence[Message] = (),
    *,
    state: dict[str, Any] | None = None,
    folder: Path | None = None,
    builders: Sequence[str] = tuple(BUILDERS),
) -> dict[str, str]:
    """Return the text of each section; `messages` are those before the compression."""
    made = bench(session=Session("s", state or {}), folder=folder, wording=keyed_wording()).context
    message = recovered_message(made, frozenset(builders), messages, kept)
    if message is None:
        return {}
    inside = message.text.removeprefix("<recovered_context>").removesuffix("</recovered_context>")
    return dict(_section(section) for section in inside.split(SEPARATOR))


def _section(text: str) -> tuple[str, str]:
    match = re.fullmatch(r'<section name="(\w+)">(.*)</section>', text, re.DOTALL)
    assert match, f"no section: {text}"
    return match[1], match[2]
