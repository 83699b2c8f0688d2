"""The detail of one compression, from its dump: spans, windows, summary, request.

The dump may lie in a file or have been made by a replay; what is seen of it is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.debug.records import CompressionDump
from engine.processors.spans import Tail
from inspector.sources.counts import SpanSizes
from inspector.trace.compressions.summary import summary_view
from inspector.trace.detail import Detail, RequestView
from inspector.trace.evidence.raw_records import RawRecord
from inspector.trace.windows.fates import window_diff
from inspector.trace.windows.spans import span_view, target_positions
from inspector.trace.windows.window import Window, trace_messages


def compression_detail(
    dump: CompressionDump,
    window: Window,
    first: SpanSizes | None,
    tail: Tail | None,
    records: Sequence[RawRecord],
    notes: Sequence[str],
) -> Detail:
    """Return what there is to see about a compression.

    Args:
        dump: The compression's dump.
        window: The window it worked on.
        first: The parts of the span as they were first built; None: the final ones.
        tail: How the first boundary came about, where that is known.
        records: Its records as they stand in their files.
        notes: Sentences about what is missing and why.
    """
    final = SpanSizes.of(dump.span)
    estimated = window.evidence != "verified"
    shown = trace_messages(window.context, estimated=estimated, formulas=window.formulas)
    return Detail(
        span=span_view(shown, final, first or final, tail, window.evidence),
        windows=window_diff(
            window,
            dump.context_after.messages,
            target_positions(len(shown), final),
            (dump.trigger.total_tokens_before, dump.context_after.total_tokens_after),
        ),
        summary=summary_view(dump.compression_response),
        request=_request(dump),
        records=tuple(records),
        notes=tuple(notes),
    )


def _request(dump: CompressionDump) -> RequestView:
    request = dump.compression_request
    sent, system = request.messages_sent_to_model[:-1], request.system_messages_count
    return RequestView(
        messages=(
            *trace_messages(sent[:system], first=None),
            *trace_messages(sent[system:]),
        ),
        prompt=request.prompt,
        system_count=system,
        tools=tuple(request.tools),
    )
