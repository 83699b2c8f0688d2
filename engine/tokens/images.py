"""What an image in a message costs, told from its size (`engine.md` §3.3, G (v)).

The larger of two prices: 85 plus 170 for each tile of 512 pixels, once the image is fitted into
2,048 pixels and its shorter side into 768; and one token for each patch of 28 pixels, up to 1,568.
"""

from __future__ import annotations

import base64
import binascii
import math
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

LOW_DETAIL_TOKENS = 85
UNKNOWN_SIZE_TOKENS = 1445
PRICE_VARIABLE = "TIKTOKEN_IMAGE_PLACEHOLDER_TOKENS"
"""Environment variable that sets one price, in tokens, for every image."""

_IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})
_HEADER_CHARS = 400_000
"""Characters of base64 that are searched for a size; a JPEG may have it far from its start."""


class Size(NamedTuple):
    """Pixels of an image."""

    width: int
    height: int


def is_image(part: Mapping[str, Any]) -> bool:
    """Return whether a part of a message's content is an image."""
    return part.get("type") in _IMAGE_TYPES or "image_url" in part


def image_tokens(part: Mapping[str, Any]) -> int:
    """Return the price of an image part, in tokens."""
    fixed = os.environ.get(PRICE_VARIABLE, "")
    if fixed.isdigit() and int(fixed) > 0:
        return int(fixed)
    image = part.get("image_url")
    holders = [part, image] if isinstance(image, Mapping) else [part]
    if any(holder.get("detail") == "low" for holder in holders):
        return LOW_DETAIL_TOKENS
    size = next((s for s in map(_stated_size, holders) if s), None) or _size_in_data(_url(part))
    return UNKNOWN_SIZE_TOKENS if size is None else size_tokens(size)


def size_tokens(size: Size) -> int:
    """Return the price of an image of a known size, in tokens."""
    width, height = float(size.width), float(size.height)
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    patches = math.ceil(size.width / 28) * math.ceil(size.height / 28)
    return max(85 + 170 * tiles, min(patches, 1568))


def _stated_size(holder: Mapping[str, Any]) -> Size | None:
    given = holder.get("dimensions")
    if isinstance(given, Mapping):
        holder = given
    pair = (holder.get("width"), holder.get("height"))
    if isinstance(given, list | tuple) and len(given) == 2:
        pair = (given[0], given[1])
    width, height = pair
    if isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        return Size(width, height)
    return None


def _url(part: Mapping[str, Any]) -> str:
    """Return the data of an image, or the address that stands for it."""
    image, source = part.get("image_url"), part.get("source")
    for value in (
        image.get("url") if isinstance(image, Mapping) else image,
        source.get("data") if isinstance(source, Mapping) else None,
        part.get("data"),
        part.get("data_url"),
        part.get("url"),
    ):
        if isinstance(value, str) and value:
            return value
    return ""


def _size_in_data(url: str) -> Size | None:
    data = url.partition("base64,")[2] if url.startswith("data:") else url
    chunk = data[:_HEADER_CHARS]
    try:
        raw = base64.b64decode(chunk[: len(chunk) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
    size = _png_size(raw) or _gif_size(raw) or _jpeg_size(raw)
    return size if size and size.width > 0 and size.height > 0 else None


def _png_size(raw: bytes) -> Size | None:
    if not raw.startswith(b"\x89PNG\r\n\x1a\n") or len(raw) < 24:
        return None
    return Size(int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big"))


def _gif_size(raw: bytes) -> Size | None:
    if raw[:6] not in (b"GIF87a", b"GIF89a") or len(raw) < 10:
        return None
    return Size(int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little"))


def _jpeg_size(raw: bytes) -> Size | None:
    """Return the size in the first frame header, segment by segment."""
    if not raw.startswith(b"\xff\xd8"):
        return None
    position = 2
    while position + 9 <= len(raw) and raw[position] == 0xFF:
        marker = raw[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(raw[position + 5 : position + 7], "big")
            return Size(int.from_bytes(raw[position + 7 : position + 9], "big"), height)
        length = int.from_bytes(raw[position + 2 : position + 4], "big")
        position += 1 if marker == 0xFF else 2 + max(length, 2)
    return None
