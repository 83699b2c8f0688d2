"""The originals behind the markers that messages hold, read when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.sources.documents.offload_file import read_offload
from inspector.trace.detail import StoredView, TraceMessage, WindowDiff
from inspector.trace.evidence.markers import Payload, Payloads, find_markers
from inspector.trace.windows.window import trace_messages


def markers_of(windows: WindowDiff, payloads: Payloads) -> tuple[StoredView, ...]:
    """Return the markers in a window's messages, each once, with what they name but not its text.

    The messages after the decision are looked at, and those that it removed.
    """
    shown = (row.after or row.before for row in windows.rows)
    found: dict[tuple[str, str], StoredView] = {}
    for message in shown:
        if message is not None:
            for text in _texts(message):
                for marker in find_markers(text):
                    view = StoredView(payloads.locate(marker), message=message.position)
                    found.setdefault((marker.kind, marker.name), view)
    return tuple(found.values())


def originals_of(payload: Payload) -> tuple[TraceMessage, ...]:
    """Return the messages that an offload file holds; none where there is no whole file.

    Raises:
        OSError: the file cannot be read.
    """
    if payload.where != "found" or payload.marker.kind != "offload" or payload.path is None:
        return ()
    file = read_offload(payload.path)
    return trace_messages(file.messages) if file else ()


def _texts(message: TraceMessage) -> Iterator[str]:
    """Yield the texts of a message's content."""
    if isinstance(message.content, str):
        yield message.content
        return
    parts: Iterable[object] = message.content
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
