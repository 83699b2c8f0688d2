"""An archive stands for as long as its compression does."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.processors.compressors import archiving
from engine.processors.compressors.archiving import archived
from engine.processors.spans import Span
from engine.recall.archive import write_archive
from tests.conversations import conversation
from tests.patience import PATIENCE
from tests.scripted import Bench, bench, cancelled

SPAN = Span([], conversation("u a"), conversation("u"))


def recalling(folder: Path) -> Bench:
    return bench(folder=folder, compression_recall_config={"enabled": True})


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_it_stays_when_all_went_well(tmp_path: Path) -> None:
    made = recalling(tmp_path)

    async def story() -> None:
        async with archived(made.context, "p", SPAN) as archive:
            assert archive is not None
            assert archive.folder.is_dir()

    asyncio.run(story())
    assert files(tmp_path)


def test_it_goes_when_the_compression_fails(tmp_path: Path) -> None:
    made = recalling(tmp_path)

    async def story() -> None:
        async with archived(made.context, "p", SPAN):
            raise LookupError("no")

    with pytest.raises(LookupError):
        asyncio.run(story())
    assert files(tmp_path) == []


def test_it_goes_when_the_compression_is_cancelled_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = recalling(tmp_path)
    begun, go = threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> Any:
        begun.set()
        assert go.wait(PATIENCE)
        return write_archive(*arguments)

    monkeypatch.setattr(archiving, "write_archive", slowly)

    async def compress() -> None:
        async with archived(made.context, "p", SPAN):
            raise AssertionError("never reached")

    async def story() -> None:
        task = asyncio.create_task(compress())
        await asyncio.to_thread(begun.wait)
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        await cancelled(task)
        assert task.cancelled()

    asyncio.run(story())
    assert files(tmp_path) == []


def test_without_recall_there_is_none(tmp_path: Path) -> None:
    made = bench(folder=tmp_path)

    async def story() -> None:
        async with archived(made.context, "p", SPAN) as archive:
            assert archive is None

    asyncio.run(story())
    assert files(tmp_path) == []
