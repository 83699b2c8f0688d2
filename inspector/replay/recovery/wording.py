"""The fixed texts of a recording, as far as its dumps show them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from engine.debug.records import CompressionDump
from engine.processors.compressors.prefix import PrefixCompressor
from engine.processors.registry import processor_class, registered_names

_BLOCK = re.compile(
    r"<memory_block_(\w+)>\n<meaning>\n(.*?)\n</meaning>\n"
    r"<conflict_policy>\n(.*?)\n</conflict_policy>",
    re.DOTALL,
)
_RECOVERED = re.compile(r'(<recovered_context>.*?<section name=")[^"]*(">\n)', re.DOTALL)
_RECOVERED_END = "\n</section>\n</recovered_context>"


def recovered_wording(dumps: Iterable[CompressionDump]) -> dict[str, Any]:
    """Return the texts in the schema of `wording.json`; what no dump shows is left out."""
    blocks: dict[str, dict[str, str]] = {}
    wording: dict[str, Any] = {}
    kinds = _kinds()
    for dump in dumps:
        kind = kinds.get(dump.processor_type)
        if kind is not None:
            blocks.setdefault(kind, {})["prompt"] = dump.compression_request.prompt
        for message in dump.context_after.messages:
            text = message.get("content")
            if not isinstance(text, str):
                continue
            block = _BLOCK.match(text)
            if block and block.group(1) in kinds.values():
                texts = blocks.setdefault(block.group(1), {})
                texts["meaning"], texts["conflict_policy"] = block.group(2), block.group(3)
            frame = _RECOVERED.match(text)
            if frame and text.endswith(_RECOVERED_END):
                template = f"{frame.group(1)}{{builder}}{frame.group(2)}{{text}}{_RECOVERED_END}"
                wording["recovered_context"] = {"template": template}
    return {**wording, "memory_blocks": blocks} if blocks else wording


def _kinds() -> dict[str, str]:
    """Return the kind of memory block by processor."""
    classes = {name: processor_class(name) for name in registered_names()}
    return {n: cls.kind for n, cls in classes.items() if issubclass(cls, PrefixCompressor)}
