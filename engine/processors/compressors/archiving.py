"""Archives what a compressor replaces, for as long as the compression stands."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.conversation import Conversation
from engine.processors.spans import Span
from engine.recall.archive import Archive, ArchiveSource, write_archive

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def archived(
    context: Conversation, processor: str, span: Span
) -> AsyncIterator[Archive | None]:
    """Archive a span's target before the block; remove the archive if the block fails.

    Gives None where recall is off, or where the archive cannot be written: a compression does not
    depend on it.
    """
    archive = await _written(context, processor, span)
    try:
        yield archive
    except BaseException:
        if archive is not None:
            archive.discard()
        raise


async def _written(context: Conversation, processor: str, span: Span) -> Archive | None:
    config = context.config.compression_recall_config
    if not config.enabled:
        return None
    source = ArchiveSource(
        session_id=context.session.session_id,
        context_id=context.context_id,
        processor=processor,
        before=span.prefix,
        target=span.target,
        window_messages=len(span.prefix) + len(span.target) + len(span.tail),
    )
    now = context.clock.now()
    given_up = threading.Event()

    def write() -> Archive:
        archive = write_archive(context.workspace, source, config, now)
        if given_up.is_set():
            archive.discard()
        return archive

    writing = asyncio.get_running_loop().run_in_executor(None, write)
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        given_up.set()
        writing.add_done_callback(_discard)
        raise
    except Exception as error:
        _LOG.warning("%s replaces messages that are not archived: %s", processor, error)
        return None


def _discard(writing: asyncio.Future[Archive]) -> None:
    if not writing.cancelled() and writing.exception() is None:
        writing.result().discard()
