"""The nodes of the source tree: paths, sessions, contexts, kinds of files, problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import PurePath

import numpy as np

from inspector.sources.problem import Problem
from inspector.sources.scan import Source
from inspector.trace.context_trace import ContextTrace
from inspector.trace.opened import Opened
from inspector.ui import formats
from inspector.ui.models.marks import OUTCOMES, Mark, OutcomeStyle
from inspector.ui.models.source_tree import Node

KINDS = {
    "context_debug": "compressor records",
    "offloader_debug": "offloader records",
    "llm_request": "model requests",
    "compression_dump": "compression dumps",
    "rule_dump": "rule dumps",
    "offload": "offloaded messages",
    "recall": "recall archives",
    "session_memory": "session notes",
    "session_memory_log": "notes agent logs",
    "session_state": "session state",
    "conversation:atif": "ATIF trajectories",
    "conversation:claude_code": "Claude Code conversations",
    "conversation:codex": "Codex conversations",
    "conversation:inspect": "Inspect logs",
    "conversation:mini_swe_agent": "mini-swe-agent trajectories",
    "conversation:openai": "chats",
    "conversation:swe_agent": "SWE-agent trajectories",
    "unknown": "other files",
}
"""Kinds of files in words."""


def kind_name(kind: str) -> str:
    """Return what files of a kind are called."""
    return KINDS.get(kind, kind.replace("_", " "))


_STAMP = 13
"""Digits of the milliseconds that the engine puts before the names of dumps."""
_PROBLEM = Mark("triangle", "failure", "problem")


def source_nodes(paths: Sequence[str], content: Opened, live: bool = False) -> list[Node]:
    """Return the tree: sources first, then what could not be read.

    Args:
        paths: What was opened.
        content: What is in there.
        live: It is kept up with.
    """
    roots = [*_roots(paths, content, live)]
    sections = [Node("section", "SOURCES", children=tuple(roots))]
    if content.problems:
        problems = tuple(_problem_node(problem) for problem in content.problems)
        sections.append(Node("section", "PROBLEMS", f"· {len(problems):,}", children=problems))
    return sections


def _roots(paths: Sequence[str], content: Opened, live: bool) -> Iterator[Node]:
    """Put each path's own sessions and files below it."""
    homes = _homes(content.sources) if len(paths) > 1 else {}
    for path in paths:
        own = [source for source in content.sources if source.root == path]
        traces = (t for t in content.traces if homes.get(t.session_id, paths[0]) == path)
        name = PurePath(path).name or path
        if name == "workspace" and PurePath(path).parent.name:
            name = f"{PurePath(path).parent.name}/{name}"
        children = (*_sessions(traces), *_kinds(own))
        aside = "● live" if live else ""
        yield Node("workspace", formats.visible(name), aside, tip=path, children=children)


def _homes(sources: Iterable[Source]) -> dict[str, str]:
    """Return by session the path below which a file tells of it first."""
    homes: dict[str, str] = {}
    for source in sources:
        for session in source.sessions:
            homes.setdefault(session, source.root)
    return homes


def _sessions(traces: Iterable[ContextTrace]) -> tuple[Node, ...]:
    by_session: dict[str, list[Node]] = {}
    for trace in traces:
        by_session.setdefault(trace.session_id, []).append(_context(trace))
    return tuple(
        Node("session", formats.visible(session), children=tuple(contexts))
        for session, contexts in by_session.items()
    )


def _context(trace: ContextTrace) -> Node:
    steps, counts = formats.plural(len(trace.steps.number), "step"), list(_counts(trace))
    glyphs = " ".join(f"{count:,}{style.glyph}" for count, style in counts)
    words = (f"{count:,} {style.name}" for count, style in counts)
    return Node(
        "context",
        formats.visible(trace.context_id),
        f"{steps} · {glyphs}" if glyphs else steps,
        tip="\n".join((formats.visible(trace.context_id), steps, *words)),
        payload=trace,
    )


def _counts(trace: ContextTrace) -> Iterator[tuple[int, OutcomeStyle]]:
    """Tell how often something was done and how often it came to nothing."""
    columns = trace.decisions
    counts = np.bincount(columns.outcome, minlength=len(columns.outcomes))
    for outcome, style in OUTCOMES.items():
        if style.fired and outcome in columns.outcomes:
            count = int(counts[columns.outcomes.index(outcome)])
            if count:
                yield count, style


def _kinds(sources: Sequence[Source]) -> tuple[Node, ...]:
    by_kind: dict[str, list[Source]] = {}
    for source in sources:
        by_kind.setdefault(source.kind, []).append(source)
    return tuple(_kind(kind, files) for kind, files in by_kind.items())


def _kind(kind: str, files: Sequence[Source]) -> Node:
    records = sum(source.records for source in files)
    about = formats.plural(len(files), "file")
    if records > len(files):
        about = f"{formats.plural(records, 'record')} in {about}"
    name = kind_name(kind)
    children = tuple(_file(file) for file in sorted(files, key=attrgetter("path")))
    return Node(
        "kind", name, f"{max(records, len(files)):,}", tip=f"{name}: {about}", children=children
    )


def _file(source: Source) -> Node:
    return Node(
        "file",
        _file_name(source.path),
        "gone" if source.gone else formats.size(source.bytes),
        tip=f"{source.path} is gone; what was read of it stays" if source.gone else source.path,
        payload=source,
    )


def _file_name(path: str) -> str:
    """Return the name of a file; a time of writing that it begins with as a time."""
    name = PurePath(path).name
    stamp, _, rest = name.partition("_")
    if len(stamp) == _STAMP and stamp.isdecimal():
        name = f"{formats.clock(int(stamp) / 1000)} {rest}"
    return formats.visible(name)


def _problem_node(problem: Problem) -> Node:
    return Node(
        "problem",
        _file_name(problem.path),
        f"@ {problem.offset:,}",
        mark=_PROBLEM,
        tip=f"{problem.path} @ {problem.offset:,}: {problem.reason}",
        payload=problem,
    )
