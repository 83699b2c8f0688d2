"""The files that the agent read last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.messages import ToolMessage
from engine.processors.reinjection.source import (
    AnsweredCall,
    Source,
    parsed_result,
    read_path,
    with_slashes,
)
from engine.tokens.text import content_text

MAX_FILES = 5
MAX_TOTAL_CHARS = 50_000
IGNORED = ("/.git/", "/node_modules/", "/__pycache__/")


@dataclass(frozen=True)
class _File:
    path: str
    text: str
    lines: str
    """Number of lines; empty where the result's line count is no number."""
    partial: bool


def read_file(source: Source) -> str:
    """Return the newest files, newest last, each path once; not those that kept results show."""
    shown = _paths_in_results(source)
    chosen: dict[str, _File] = {}
    total = 0
    for file in _files(source):
        if file.path in chosen or file.path in shown:
            continue
        if any(part in with_slashes(file.path) for part in IGNORED):
            continue
        chosen[file.path] = file
        total += min(len(file.text), source.wording.truncation.read_file.max_chars)
        if len(chosen) == MAX_FILES or total >= MAX_TOTAL_CHARS:
            break
    cut = source.wording.truncation.section.cut
    return "\n\n".join(cut(_block(source, file)) for file in reversed(chosen.values()))


def _files(source: Source) -> Iterator[_File]:
    """Yield the files that were read, the rounds newest first, the calls of a round in order."""
    for messages in source.rounds:
        for answered in source.answered(messages, "read_file"):
            file = _file(answered) if answered.result else None
            if file is not None:
                yield file


def _file(answered: AnsweredCall) -> _File | None:
    """Return what a call read; None where its result names no path but something else."""
    data = parsed_result(answered.result)
    given = answered.call.named_arguments
    path, text = read_path(answered.call), answered.result
    lines: object = None
    if isinstance(data, dict):
        path = data.get("file_path") or path
        if isinstance(data.get("content"), str):
            text = data["content"]
        lines = data.get("line_count")
    if not isinstance(path, str):
        return None
    if lines is None:
        lines = len(text.splitlines())
    return _File(path, text, str(lines) if isinstance(lines, int) else "", _partial(given))


def _partial(given: dict[str, object]) -> bool:
    return given.get("offset") is not None or given.get("limit") is not None


def _block(source: Source, file: _File) -> str:
    line = source.wording.line
    lines = [
        line("recently_read_file_file_path", file_path=file.path),
        line("lines_returned_line_count", line_count=file.lines),
    ]
    if file.partial:
        lines.append(line("note_only_part_of_this_file_was"))
    text = source.wording.truncation.read_file.cut(file.text)
    return "\n".join([*lines, "", text])


def _paths_in_results(source: Source) -> set[str]:
    """Return the paths of which a kept tool result holds data."""
    paths: set[str] = set()
    for message in source.kept:
        if isinstance(message, ToolMessage):
            data = parsed_result(content_text(message))
            path = data.get("file_path") if isinstance(data, dict) else None
            if isinstance(path, str):
                paths.add(path)
    return paths
