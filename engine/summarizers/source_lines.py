"""The lines of a conversation, each with whose words it is.

Content, list content, arguments of calls and JSON results become short lines that stand in the
source as they are. JSON is read pair by pair, so that a truncated object loses only its end: a
string that holds lines of its own (a file, the output of a command) gives those, any other pair
stays `"key": value`. Of a command with a script only the first line is the command. An earlier
memory block gives its lines with the title they stood under. Linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Self

from engine.messages import AssistantMessage, Message
from engine.messages.authors import is_real_user
from engine.summarizers.cues import SECRET
from engine.summarizers.line_kinds import LineKind, Source, kind_under

LONGEST_LINE: Final = 2_000
"""Characters after which a line is cut into pieces, so that no pattern sees a huge one."""


class Utterance(NamedTuple):
    """What a message says, all that its lines depend on."""

    source: Source
    text: str
    arguments: tuple[str, ...]
    """Of its tool calls."""

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return what a message says, and whose words it is."""
        text = _text(message)
        if isinstance(message, AssistantMessage):
            return cls("assistant", text, tuple(call.arguments for call in message.calls))
        if message.role == "user" and _MEMORY_BLOCK.match(text):
            return cls("memory", text, ())
        return cls("user" if is_real_user(message) else "tool", text, ())


class SourceLine(NamedTuple):
    """One line, stripped, without its bullet."""

    text: str
    source: Source
    kind: LineKind | None = None
    """What it is, where its place says so: a field named `command`, an open to-do item."""
    title: str | None = None
    """Title it stood under in an earlier memory block."""


_COMMAND_FIELDS: Final = frozenset({"command", "cmd", "commands", "script", "shell_command"})
_PATH_FIELDS: Final = frozenset(
    {"path", "file_path", "filepath", "file", "filename", "target_file", "notebook_path"}
)
_OPEN: Final = frozenset({"pending", "in_progress", "todo", "open", "not_started"})
_DONE: Final = frozenset({"completed", "done", "finished"})

_MEMORY_BLOCK = re.compile(r"\s*<memory_block_\w+>")
_SUMMARY = re.compile(r"<summary>(.*)</summary>", re.DOTALL)
_MARKER = re.compile(r"\[\[OFFLOAD:[^\]\n]*\]\]$", re.MULTILINE)
"""What names a stored original: it tells nothing, and is another one in each run."""
_TAG = re.compile(r"</?[a-z_]+>|\[\[[^\]]*\]\]")
_TITLE_MARKS = re.compile(r"^[#*\s\d.]+|[*:：\s]+$")
_BLOCK_TAG = re.compile(r"</?(?:state_snapshot|coverage_check|summary|memory_block_\w+)>", re.I)
_BULLET = re.compile(r"^(?:\d+(?:\t|→|\s?\| ))?\s*(?:[-*•] )?")
"""Also the line number that tools put before the lines of a file."""
_NOTHING = re.compile(r"\W*$|\w+[:：]$|```|[A-Za-z0-9+/=_-]{120}")
"""A line without words, a one-word heading, a code fence, or encoded data."""
_NO_JSON = re.compile(r"\b(?!(?:true|false|null)\b)[^\W\d]{2,}")
_DENSE = re.compile(r'\\[n"]|": ?.*": ?|^.{0,40}"(?:command|cmd|(?:file_)?path)":')
"""A line of JSON that needs taking apart: with escapes, several pairs, or a field that counts."""
_STRING = r'"(?:[^"\\]|\\.)*+"'
_PAIR = re.compile(
    r'"((?:[^"\\]|\\.){1,60})"\s{0,8}:\s{0,8}'
    rf"({_STRING}|-?\d[\d.eE+-]*)|(?<=[\[,\s])({_STRING})(?=\s{{0,8}}[,\]])"
)


def read_lines(utterance: Utterance) -> Iterator[SourceLine]:
    """Yield the lines of a message in their order; lines with a secret are left out."""
    return (line for line in _all_lines(utterance) if not SECRET.search(line.text))


def _all_lines(utterance: Utterance) -> Iterator[SourceLine]:
    source, text, arguments = utterance
    if source == "memory":
        yield from _memory_lines(text)
    elif source == "tool":
        yield from _data_lines(text, source)
    else:
        yield from _plain_lines(text, source)
    for argument in arguments:
        yield from _data_lines(argument, "call")


def _text(message: Message) -> str:
    if isinstance(message.content, str):
        return _MARKER.sub("", message.content)
    parts = (part if isinstance(part, str) else part.get("text") for part in message.content)
    return "\n".join(part for part in parts if isinstance(part, str))


def _plain_lines(text: str, source: Source, kind: LineKind | None = None) -> Iterator[SourceLine]:
    for line in text.splitlines():
        stripped = line.strip()
        stripped = _BULLET.sub("", stripped, count=1)
        if _NOTHING.match(stripped) or _BLOCK_TAG.search(stripped):
            continue
        for piece in _pieces(stripped):
            yield SourceLine(piece, source, kind)


def _pieces(line: str) -> Iterator[str]:
    """Cut a huge line, at white space where there is some."""
    while len(line) > LONGEST_LINE:
        cut = line.rfind(" ", LONGEST_LINE - 200, LONGEST_LINE) + 1 or LONGEST_LINE
        yield line[:cut].strip()
        line = line[cut:]
    yield line.strip()


def _data_lines(text: str, source: Source) -> Iterator[SourceLine]:
    """Yield the lines of a text that may be JSON, or hold lines of it."""
    for item, kind in _items(text):
        yield from _plain_lines(item, source, kind)
    for line in text.splitlines():
        if line.lstrip().startswith(("{", "[", '"')) and _DENSE.search(line):
            yield from _pair_lines(line, source)
        else:
            yield from _plain_lines(line, source)


def _pair_lines(text: str, source: Source) -> Iterator[SourceLine]:
    """Yield the pairs of one line of JSON, and what stands between them and is no JSON."""
    end = 0
    for match in _PAIR.finditer(text):
        between = text[end : match.start()]
        if _NO_JSON.search(between):
            yield from _plain_lines(between, source)
        end = match.end()
        key, value, listed = match.groups()
        decoded = _decoded(listed or value)
        if key in _COMMAND_FIELDS or key in _PATH_FIELDS:
            kind: LineKind = "command" if key in _COMMAND_FIELDS else "path"
            first, _, script = decoded.strip().partition("\n")
            yield from _plain_lines(first, source, kind)
            yield from _plain_lines(script, source)
        elif listed or "\\" in value or len(decoded) > LONGEST_LINE:
            yield from _data_lines(decoded, source)
        else:
            yield from _plain_lines(match.group(), source)
    if _NO_JSON.search(text[end:]):
        yield from _plain_lines(text[end:], source)


def _decoded(value: str) -> str:
    """Return a JSON string's text; another value as it is written."""
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value, strict=False))
    except ValueError:
        return value[1:-1]


def _items(text: str) -> Iterator[tuple[str, LineKind]]:
    """Yield the texts of a to-do list, wherever in the JSON it is."""
    if '"status"' not in text:
        return
    try:
        stack: list[Any] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while stack:
        data = stack.pop()
        if isinstance(data, Mapping):
            what = data.get("content") or data.get("title") or data.get("description")
            status = data.get("status")
            if isinstance(what, str) and isinstance(status, str) and status in _OPEN | _DONE:
                yield what, "todo" if status in _OPEN else "work"
            stack.extend(reversed(list(data.values())))
        elif isinstance(data, list):
            stack.extend(reversed(data))


def _memory_lines(text: str) -> Iterator[SourceLine]:
    found = _SUMMARY.search(text)
    title: str | None = None
    for line in (found.group(1) if found else text).splitlines():
        stripped = line.strip()
        heading = _TITLE_MARKS.sub("", stripped)
        if kind_under(heading):
            title = heading
        elif stripped.startswith("#"):
            title = None
        elif not _TAG.fullmatch(stripped) and heading.lower() not in ("- none", "none"):
            for plain in _plain_lines(stripped, "memory"):
                yield SourceLine(plain.text, "memory", title=title)
