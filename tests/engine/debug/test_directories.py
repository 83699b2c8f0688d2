"""Where debug files go (`engine.md` §6.1)."""

from pathlib import Path

import pytest

from engine.debug.directories import (
    DUMPS_VARIABLE,
    RECORDS_VARIABLE,
    DebugPlace,
    dump_name,
    dumps_directory,
    records_directory,
    safe_name,
)
from engine.workspace import Workspace

ENVIRONMENT = {RECORDS_VARIABLE: "/env/records", DUMPS_VARIABLE: "/env/dumps"}


def place(
    session: str = "s",
    *,
    environment: dict[str, str] | None = None,
    workspace: Workspace | None = Workspace("/w", Path("/nonexistent")),  # noqa: B008
) -> DebugPlace:
    return DebugPlace(session, "c.1", workspace, environment or {})


def test_setting_then_variable_then_workspace() -> None:
    assert records_directory(place(environment=ENVIRONMENT), "/own") == "/own"
    assert records_directory(place(environment=ENVIRONMENT), None) == "/env/records"
    assert dumps_directory(place(environment=ENVIRONMENT), None) == "/env/dumps"
    assert records_directory(place(), None) == "/w/context/s_context/context_debug"
    assert dumps_directory(place(), None) == "/w/context/s_context/compression_logs"
    assert records_directory(place(workspace=None), None) is None


def test_only_a_template_is_expanded_and_with_safe_names() -> None:
    slashed = place("team/会话 1")
    assert records_directory(slashed, "/d/{session_id}/{context_id}") == "/d/team-1/c.1"
    assert records_directory(slashed, "/d/{foo}") == "/d/{foo}"
    assert records_directory(slashed, None) == "/w/context/team/会话 1_context/context_debug"


@pytest.mark.parametrize("template", ["{session_id}/{foo}", "{context_id}/{}", "{session_id}{"])
def test_a_template_with_anything_else_is_an_error(template: str) -> None:
    with pytest.raises((KeyError, IndexError, ValueError)):
        records_directory(place(), template)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b/c", "a-b-c"),
        ("--x--", "x"),
        ("会话", "unknown"),
        ("", "unknown"),
        ("x" * 99, "x" * 80),
    ],
)
def test_a_safe_name(text: str, name: str) -> None:
    assert safe_name(text) == name


def test_a_dump_is_named_by_milliseconds_processor_and_session() -> None:
    name = dump_name("RoundLevelCompressor", "a/b", 1_790_000_000.25)
    assert name == "1790000000250_RoundLevelCompressor_a-b.json"
