"""What an image in a message costs, told from its size (`engine.md` §3.3, G (v)).

The larger of two prices: 85 plus 170 for each tile of 512 pixels, once the image is fitted into
2,048 pixels and its shorter side into 768; and one token for each patch of 28 pixels, up to 1,568.
"""

from __future__ import annotations

import base64
import math
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

LOW_DETAIL_TOKENS = 85
UNKNOWN_SIZE_TOKENS = 1445
PRICE_VARIABLE = "TIKTOKEN_IMAGE_PLACEHOLDER_TOKENS"
"""Environment variable that sets one price, in tokens, for every image."""

_IMAGE_TYPES = ("image", "image_url")
_HEADER_CHARS = 87_360
"""Characters of base64 that are searched for a size; a JPEG may have it far from its start."""
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of a JPEG that no segment follows."""
_LONGEST_SIDE = (1 << 32) - 1
"""Pixels that a side may have in any format."""
_SIZE_TEXT = re.compile(r"\s*(\d+)\s*x\s*(\d+)\s*", re.IGNORECASE)


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
    if _detail(part).lower() == "low":
        return LOW_DETAIL_TOKENS
    size = _stated_size(part) or _size_in_data(_data(part))
    return UNKNOWN_SIZE_TOKENS if size is None else size_tokens(size)


def size_tokens(size: Size) -> int:
    """Return the price of an image of a known size, in tokens."""
    width, height = float(size.width), float(size.height)
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    patches = math.ceil(size.width / 28) * math.ceil(size.height / 28)
    return max(85 + 170 * tiles, min(patches, 1568))


def _detail(part: Mapping[str, Any]) -> str:
    image = part.get("image_url")
    inner = image.get("detail") if isinstance(image, Mapping) else None
    detail = inner if isinstance(inner, str) else part.get("detail")
    return detail if isinstance(detail, str) else ""


def _stated_size(part: Mapping[str, Any]) -> Size | None:
    """Return the size by `width` and `height`, or by `dimensions`: a pair or a text like `3x4`."""
    width, height = part.get("width"), part.get("height")
    if isinstance(width, int) and isinstance(height, int) and _possible(Size(width, height)):
        return Size(width, height)
    given = part.get("dimensions")
    if isinstance(given, str):
        named = _SIZE_TEXT.fullmatch(given)
        given = named.groups() if named else None
    if not isinstance(given, list | tuple) or len(given) != 2:
        return None
    try:
        return _possible(Size(*map(int, given)))
    except (TypeError, ValueError, OverflowError):
        return None


def _data(part: Mapping[str, Any]) -> str:
    """Return the base64 of an image that comes along, in a data URL or as a source."""
    image, source = part.get("image_url"), part.get("source")
    address = image.get("url") if isinstance(image, Mapping) else image
    if isinstance(address, str) and address.startswith("data:"):
        return address.partition("base64,")[2]
    data = source.get("data") if isinstance(source, Mapping) else None
    return data if isinstance(data, str) else ""


def _size_in_data(data: str) -> Size | None:
    try:
        raw = base64.b64decode(data[:_HEADER_CHARS])
    except ValueError:
        return None
    size = _png_size(raw) or _gif_size(raw) or _jpeg_size(raw)
    return _possible(size) if size else None


def _possible(size: Size) -> Size | None:
    return size if all(0 < side <= _LONGEST_SIDE for side in size) else None


def _png_size(raw: bytes) -> Size | None:
    if not raw.startswith(b"\x89PNG\r\n\x1a\n") or raw[12:16] != b"IHDR" or len(raw) < 24:
        return None
    return Size(int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big"))


def _gif_size(raw: bytes) -> Size | None:
    if raw[:6] not in (b"GIF87a", b"GIF89a") or len(raw) < 10:
        return None
    return Size(int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little"))


def _jpeg_size(raw: bytes) -> Size | None:
    """Return the size in the first frame header, segment by segment; stray bytes are skipped."""
    if not raw.startswith(b"\xff\xd8"):
        return None
    position = 2
    while position + 9 <= len(raw):
        marker = raw[position + 1]
        if raw[position] != 0xFF:
            position += 1
        elif marker in _BARE_MARKERS:
            position += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(raw[position + 5 : position + 7], "big")
            return Size(int.from_bytes(raw[position + 7 : position + 9], "big"), height)
        else:
            length = int.from_bytes(raw[position + 2 : position + 4], "big")
            if length < 2:
                return None
            position += 2 + length
    return None
