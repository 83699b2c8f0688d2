"""What an image costs."""

import base64
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tokens.images import (
    PRICE_VARIABLE,
    UNKNOWN_SIZE_TOKENS,
    Size,
    image_tokens,
    is_image,
    size_tokens,
)


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 52) + b"\x00" * 50
    table = b"\xff\xc4" + struct.pack(">H", 4) + b"\x00\x00"
    return b"\xff\xd8" + exif + table + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width)


def url(raw: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(raw).decode()}"


def part(address: str, **more: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": address, **more}}


@pytest.mark.parametrize(
    ("size", "tokens"),
    [
        (Size(1, 1), 255),
        (Size(512, 512), 361),
        (Size(1024, 768), 1036),
        (Size(4096, 3072), 1568),
        (Size(300, 456), 255),
        (Size(100, 10_000), 1432),
        (Size(513, 512), 425),
    ],
)
def test_the_price_of_a_size(size: Size, tokens: int) -> None:
    assert size_tokens(size) == tokens


@given(st.integers(1, 50_000), st.integers(1, 50_000))
def test_a_price_is_bounded_and_the_same_lying_down(width: int, height: int) -> None:
    tokens = size_tokens(Size(width, height))
    assert 255 <= tokens <= 1568
    assert tokens == size_tokens(Size(height, width))


@pytest.mark.parametrize("make", [png, gif, jpeg])
@pytest.mark.parametrize("size", [Size(300, 456), Size(1024, 768)])
def test_a_size_is_read_from_the_image(make: Any, size: Size) -> None:
    expected = size_tokens(size)
    address = url(make(*size) + b"\x00" * 50)
    assert image_tokens(part(address)) == expected
    bare = base64.b64encode(make(*size) + b"\x00" * 50).decode()
    assert image_tokens({"type": "image", "source": {"data": bare}}) == expected
    assert image_tokens({"type": "input_image", "image_url": address}) == expected


@pytest.mark.parametrize(
    "stated",
    [
        {"width": 300, "height": 456},
        {"dimensions": [300, 456]},
        {"dimensions": ["300", 456.9]},
        {"dimensions": " 300 X456\n"},
        {"width": 0, "height": 9, "dimensions": "300x456"},
    ],
)
def test_a_size_may_be_stated(stated: dict[str, Any]) -> None:
    assert image_tokens({"type": "image", **stated}) == size_tokens(Size(300, 456))
    assert image_tokens(part("https://x/y") | stated) == size_tokens(Size(300, 456))


def test_low_detail_has_one_price() -> None:
    assert image_tokens(part(url(png(4096, 3072)), detail="low")) == 85
    assert image_tokens({"type": "image", "detail": "Low"}) == 85
    assert image_tokens(part(url(png(4096, 3072)), detail="high") | {"detail": "low"}) == 1568


@pytest.mark.parametrize(
    "unknown",
    [
        part("https://example.com/x.png"),
        part("data:image/png;base64,"),
        part("data:image/png;base64,????"),
        part(url(b"\x89PNG\r\n\x1a\n")),
        part(url(png(0, 5))),
        part(url(b"GIF89a")),
        part(url(b"\xff\xd8\xff\xda")),
        part(url(b"\xff\xd8" + b"\xff" * 40)),
        part(base64.b64encode(png(300, 456)).decode()),
        part(url(png(300, 456))[:-1]),
        part(url(png(300, 456).replace(b"IHDR", b"iCCP"))),
        part(url(b"\xff\xd8\xff\xe0\x00\x01" + jpeg(300, 456))),
        part("https://x/y", width=300, height=456),
        {"type": "image", "data": url(png(300, 456))},
        {"type": "image", "source": {"data": url(png(300, 456))}},
        {"type": "image", "width": "wide", "height": 5},
        {"type": "image", "dimensions": {"width": 300, "height": 456}},
        {"type": "image", "dimensions": ["wide", 5]},
        {"type": "image", "dimensions": [0, 5]},
        {"type": "image", "dimensions": [10**400, 5]},
        {"type": "image", "width": 10**400, "height": 5},
        {"type": "image_url", "image_url": None},
    ],
)
def test_an_unknown_size_has_a_price_of_its_own(unknown: dict[str, Any]) -> None:
    assert is_image(unknown)
    assert image_tokens(unknown) == UNKNOWN_SIZE_TOKENS


@pytest.mark.parametrize("stray", [b"\x00\x01", b"\xff\xd0", b"\xff\x01", b"\xff\xd8"])
def test_what_stands_between_the_segments_of_a_jpeg_is_skipped(stray: bytes) -> None:
    start, rest = jpeg(100, 2000)[:2], jpeg(100, 2000)[2:]
    assert image_tokens(part(url(start + stray + rest))) == size_tokens(Size(100, 2000))


def test_a_size_far_inside_a_jpeg_is_not_looked_for() -> None:
    fill = b"\xff\xe1\xff\xff" + b"x" * 65_533
    assert image_tokens(part(url(b"\xff\xd8" + fill + jpeg(100, 2000)[2:]))) == UNKNOWN_SIZE_TOKENS


def test_an_input_image_without_an_address_is_no_image() -> None:
    assert not is_image({"type": "input_image", "source": {"data": "AAAA"}})
    assert is_image({"type": "input_image", "image_url": "https://x/y"})


@given(st.binary(max_size=80))
def test_any_bytes_have_a_price(raw: bytes) -> None:
    for start in (b"", b"\xff\xd8", b"GIF89a", b"\x89PNG\r\n\x1a\n"):
        assert 255 <= image_tokens(part(url(start + raw))) <= 1568


@pytest.mark.parametrize(("value", "tokens"), [("7", 7), ("0", 85), ("-3", 85), ("x", 85)])
def test_one_price_may_be_set_for_all(
    value: str, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PRICE_VARIABLE, value)
    assert image_tokens(part("https://x/y", detail="low")) == tokens
