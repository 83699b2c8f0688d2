"""The calls by which a model fetches what was taken out of its window."""

import json
from typing import Any

import pytest

from inspector.sources.recall_calls import RecallCall, recall_calls

HANDLE = "0123456789abcdef" * 2
FILE = f"/w/offload/MessageOffloader_{HANDLE}.json"
RELOAD = "reload_original_context_messages"
CALLS: dict[str, tuple[str, dict[str, Any], RecallCall | None]] = {
    "an original": (RELOAD, {"offload_handle": HANDLE}, RecallCall("c", HANDLE)),
    "an original in memory": (
        RELOAD,
        {"offload_handle": HANDLE, "offload_type": "in_memory"},
        RecallCall("c", HANDLE, "in_memory"),
    ),
    "an original by its path": (
        RELOAD,
        {"offload_handle": FILE},
        RecallCall("c", HANDLE, None, FILE),
    ),
    "its file": ("read_file", {"path": FILE}, RecallCall("c", HANDLE, "filesystem", FILE)),
    "its file elsewhere": (
        "read_file",
        {"file_path": FILE.replace("/", "\\")},
        RecallCall("c", HANDLE, "filesystem", FILE.replace("/", "\\")),
    ),
    "another file": ("read_file", {"path": "/w/notes.json"}, None),
    "an archive": (
        "recall_compressed_context",
        {"query": " ledger ", "memory_id": "20260101T000000Z"},
        RecallCall("c", query="ledger", memory_id="20260101T000000Z"),
    ),
    "all archives": ("recall_compressed_context", {}, RecallCall("c", query="")),
    "another tool": ("bash", {"query": "x"}, None),
}


@pytest.mark.parametrize("asked", CALLS)
def test_a_recall_is_known_by_tool_and_arguments(asked: str) -> None:
    name, arguments, expected = CALLS[asked]
    found = [expected] if expected else []
    text = json.dumps(arguments)
    nested = {"id": "c", "type": "function", "function": {"name": name, "arguments": text}}
    assert list(recall_calls([nested])) == found
    assert list(recall_calls([{"id": "c", "name": name, "arguments": arguments}])) == found


@pytest.mark.parametrize("damaged", [None, "x", [3], [{"id": 1, "name": RELOAD}], [{"name": []}]])
def test_what_is_no_call_is_none(damaged: object) -> None:
    assert list(recall_calls(damaged)) == []


def test_arguments_that_cannot_be_read_ask_for_nothing_known() -> None:
    [call] = recall_calls([{"id": "c", "name": RELOAD, "arguments": "{"}])
    assert call == RecallCall("c", handle="")
