"""Image payloads are not counted (`engine.md` §3.5)."""

from typing import Any

import pytest

from engine.messages import UserMessage
from engine.tokens.text import content_text, sanitised

PNG = "data:image/png;base64,AAAA"
OMITTED = "[image:data-url-omitted]"


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (PNG, OMITTED),
        (f"a {PNG} b {PNG}", f"a {OMITTED} b {OMITTED}"),
        ({"url": PNG, "alt": "x"}, {"url": OMITTED, "alt": "x"}),
        ({"image_url": {"url": PNG, "n": 1}}, {"image_url": {"url": OMITTED, "n": 1}}),
        ({"image_url": {"url": "x;base64,AA"}}, {"image_url": {"url": OMITTED}}),
        ({"image_url": {"url": "https://x/y.png"}}, {"image_url": {"url": "https://x/y.png"}}),
        (
            {"source": {"type": "base64", "data": "AAAA"}},
            {"source": {"type": "base64", "data": "[image:base64-omitted]"}},
        ),
        ({"source": {"type": "url", "data": "AAAA"}}, {"source": {"type": "url", "data": "AAAA"}}),
        ([{"deep": [PNG]}], [{"deep": [OMITTED]}]),
        ({"n": 1, "none": None}, {"n": 1, "none": None}),
    ],
)  # fmt: skip
def test_payloads_become_placeholders(value: Any, clean: Any) -> None:
    assert sanitised(value) == clean


def test_list_content_reads_as_json() -> None:
    message = UserMessage(content=[{"type": "text", "text": "中"}, "b"])
    assert content_text(message) == '[{"type": "text", "text": "中"}, "b"]'
