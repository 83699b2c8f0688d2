"""Text as it is counted: image payloads replaced by short placeholders (`engine.md` §3.5)."""

from __future__ import annotations

import json
import re
from typing import Any

from engine.messages import BaseMessage

IMAGE_OMITTED = "[image:data-url-omitted]"
BASE64_OMITTED = "[image:base64-omitted]"

_IMAGE_URL = re.compile(r"data:image/[a-z0-9.+-]+;base64,[a-z0-9+/=_-]*", re.IGNORECASE)
_URL_KEYS = frozenset({"data", "data_url", "url"})


def sanitised_text(text: str) -> str:
    """Return the text with embedded image data URLs replaced, however they are spelt."""
    if "data:image/" not in text.lower():
        return text
    if text.startswith("data:image/") and ";base64," in text:
        return IMAGE_OMITTED
    return _IMAGE_URL.sub(IMAGE_OMITTED, text)


def sanitised(value: Any) -> Any:
    """Return a JSON-like value with image payloads replaced, at any depth."""
    if isinstance(value, str):
        return sanitised_text(value)
    if isinstance(value, list):
        return [sanitised(item) for item in value]
    if isinstance(value, dict):
        return _sanitised_part(value)
    return value


def _sanitised_part(part: dict[str, Any]) -> dict[str, Any]:
    clean = {key: sanitised(value) for key, value in part.items()}
    for key in _URL_KEYS & part.keys():
        if _is_image_url(part[key]):
            clean[key] = IMAGE_OMITTED
    image = part.get("image_url")
    if isinstance(image, dict) and _is_image_url(image.get("url"), loose=True):
        clean["image_url"] = {**clean["image_url"], "url": IMAGE_OMITTED}
    source = part.get("source")
    if isinstance(source, dict) and source.get("type") == "base64" and "data" in source:
        clean["source"] = {**clean["source"], "data": BASE64_OMITTED}
    return clean


def _is_image_url(value: Any, *, loose: bool = False) -> bool:
    if not isinstance(value, str):
        return False
    return (value.startswith("data:image/") and ";base64," in value) or (
        loose and "base64," in value
    )


def content_text(message: BaseMessage) -> str:
    """Return the whole content as one sanitised string; list content as JSON text."""
    if isinstance(message.content, str):
        return sanitised_text(message.content)
    return json.dumps(sanitised(message.content), ensure_ascii=False)


def framed_text(message: BaseMessage) -> str:
    """Return the text that a counter frames: strings sanitised, list content by its text parts."""
    return sanitised_text(message.content) if isinstance(message.content, str) else message.text
