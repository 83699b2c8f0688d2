"""Heads of documents: sound ones, damaged ones, and what stands behind them."""

import json
from pathlib import Path

import msgspec
import pytest
from pydantic import BaseModel

from inspector.sources.document import (
    Part,
    damage_offset,
    document_starts,
    fitting,
    read_document,
    read_model,
    read_value,
    whole_file,
)


class Inner(msgspec.Struct):
    count: int | None = None
    name: str | None = None


class Keys(msgspec.Struct):
    first: str | None = None
    inners: list[Inner] = []
    inner: Inner | None = None
    last: int | None = None


def read(raw: bytes) -> tuple[Keys, bool, list[tuple[int, str]]]:
    keys, torn, problems = read_document(Part("a.json", 0, raw), Keys, "thing")
    return keys, torn, [(problem.offset, problem.reason) for problem in problems]


def test_the_wanted_keys_of_a_sound_document_are_read() -> None:
    raw = json.dumps({"first": "é", "other": [1, {}], "inner": {"count": 3}, "last": 7}).encode()
    assert read(raw) == (Keys("é", [], Inner(3), 7), False, [])
    assert read(b"\xef\xbb\xbf" + raw)[0].last == 7


def test_what_precedes_the_damage_is_used() -> None:
    raw = b'{"first": "a", "inner": {"count": 3, "name": "x"}, "other": [1, ?], "last": 7}'
    keys, torn, [(offset, reason)] = read(raw)
    assert (keys, torn) == (Keys("a", [], Inner(3, "x"), None), True)
    assert offset == raw.index(b"?")
    assert "damaged thing" in reason


def test_a_value_of_another_form_costs_only_itself() -> None:
    raw = b'{"first": 5, "inner": {"count": "many", "name": "x"}, "last": 7}'
    assert read(raw) == (Keys(None, [], Inner(None, "x"), 7), False, [])


def test_an_object_is_no_list_of_objects() -> None:
    assert fitting(Keys, {"inners": {"count": 1}, "last": 7}) == (Keys(last=7), ["inners"])


def test_what_stands_behind_a_document_does_not_damage_it() -> None:
    raw = '{"first": "é", "last": 7}'.encode()
    keys, torn, [(offset, reason)] = read(raw + b"\n\xff more")
    assert (keys.last, torn, offset) == (7, False, len(raw))
    assert "behind a thing" in reason
    assert read(raw + b" \n")[2] == []


def test_places_are_those_in_the_file() -> None:
    _keys, _torn, [problem] = read_document(Part("a", 1000, b'{"first": ?'), Keys, "thing")
    assert problem.offset == 1010


@pytest.mark.parametrize("raw", [b"", b"[1", b'"text"', b"\xff", b"[" * 5000, b"{" * 5000])
def test_anything_can_be_read(raw: bytes) -> None:
    assert read(raw)[0] == Keys()


def test_numbers_that_json_does_not_know_are_left_out() -> None:
    assert fitting(Keys, {"last": float("nan"), "first": "a"}) == (Keys("a"), ["last"])


@pytest.mark.parametrize(("raw", "offset"), [(b"{}", 0), (b'{"a": }', 6), ('"é" x'.encode(), 5)])
def test_the_place_of_damage_is_in_bytes(raw: bytes, offset: int) -> None:
    assert damage_offset(raw) == offset


def test_the_end_of_a_value_is_in_bytes() -> None:
    raw = ' {"a": "é中"} tail'.encode()
    assert read_value(raw) == ({"a": "é中"}, raw.index(b" tail"))
    assert read_value(b'{"a": 1, "b": [2, 3') == ({"a": 1, "b": [2]}, None)


def test_documents_are_found_behind_each_other() -> None:
    dump = b'{\n  "processor_type": "D",\n  "text": "{\\n  \\"offload_handle\\": \\"x\\"}"\n}'
    others = [
        b'{\n  "offload_handle": "a"}',
        b'{\n  "timestamp": 17.5,\n  "session_id": "s"}',
        b'{"schema_version": 1, "memory_id": "m"}',
        b'{\n  "timestamp": "2026-01-01",\n  "request": {}}',
    ]
    records = b'{"timestamp": 1.5, "event": "x", "session_id": "s"}'
    raw = b"\n".join([dump, *others, records])
    assert document_starts(raw) == [raw.index(document) for document in (dump, *others)]


class Model(BaseModel):
    a: int


def test_a_whole_document_is_read_from_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a": 1}\n{"a": 2} tail')
    assert read_model(str(path), Model) == Model(a=1)
    assert read_model(str(path), Model, 9) == Model(a=2)
    assert read_model(str(path), Model, 3) is None
    assert whole_file(str(path)) == Part(str(path), 0, path.read_bytes())


class Written(msgspec.Struct):
    calls: msgspec.Raw = msgspec.Raw()


def test_what_is_wanted_as_it_was_written_is_written_again() -> None:
    fit, unfit = fitting(Written, {"calls": [{"text": "\ud800é"}], "other": 1})
    assert (json.loads(bytes(fit.calls)), unfit) == ([{"text": "?é"}], [])
    assert fitting(Written, {"calls": float("inf")})[1] == ["calls"]
