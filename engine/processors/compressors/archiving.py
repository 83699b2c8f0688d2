"""Archives what a compressor replaces, for as long as the compression stands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from engine.processors.spans import Span
from engine.recall.archive import Archive, ArchiveSource, write_archive

if TYPE_CHECKING:
    from engine.context import ModelContext

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def archived(
    context: ModelContext, processor: str, span: Span
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


async def _written(context: ModelContext, processor: str, span: Span) -> Archive | None:
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
    writing = asyncio.create_task(
        asyncio.to_thread(write_archive, context.workspace, source, config, context.clock.now())
    )
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        with suppress(Exception):
            (await writing).discard()
        raise
    except Exception as error:
        _LOG.warning("%s replaces messages that are not archived: %s", processor, error)
        return None
