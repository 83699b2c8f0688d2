"""State put back after a compression: what only the replaced messages showed.

Each builder is a file here with a function `Source -> str`; it is listed in `BUILDERS`, whose order
is the order of the sections. A compressor chooses among them. An empty text leaves no section, and
without sections there is no message (`engine.md` §5.6, Appendix G).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from engine.conversation import Conversation
from engine.messages import Message, UserMessage
from engine.processors.reinjection.plan import plan
from engine.processors.reinjection.plan_mode import plan_mode
from engine.processors.reinjection.read_file import read_file
from engine.processors.reinjection.skills import skills
from engine.processors.reinjection.source import Source
from engine.processors.reinjection.task_status import task_status
from engine.processors.reinjection.todo import todo

BUILDERS: MappingProxyType[str, Callable[[Source], str]] = MappingProxyType(
    {
        "plan": plan,
        "skills": skills,
        "task_status": task_status,
        "plan_mode": plan_mode,
        "read_file": read_file,
        "todo": todo,
    }
)


def recovered_message(
    context: Conversation,
    names: AbstractSet[str],
    messages: Sequence[Message],
    kept: Sequence[Message],
) -> UserMessage | None:
    """Return the message that restores state, or None when there is none to restore.

    Args:
        context: the context being compressed.
        names: builders to ask.
        messages: the window's context messages before the compression.
        kept: prefix, memory block and tail.
    """
    source = Source(
        messages=messages,
        kept=kept,
        state=context.session.state,
        session_id=context.session.session_id,
        workspace=context.workspace,
        wording=context.wording,
    )
    sections = [
        (name, text)
        for name, builder in BUILDERS.items()
        if name in names and (text := _section(source, name, builder(source)))
    ]
    if not sections:
        return None
    return UserMessage(content=context.wording.recovered_context(sections))


def _section(source: Source, name: str, text: str) -> str:
    header = source.wording.state_header(name.upper())
    bare = text.strip().removeprefix(header)
    return source.wording.truncation.section.cut(bare)
