"""Where debug files go (`engine.md` §6.1)."""

from pathlib import Path

import pytest

from engine.config import ContextEngineConfig
from engine.context_engine import ContextEngine
from engine.debug.directories import (
    DUMPS_VARIABLE,
    RECORDS_VARIABLE,
    DebugPlace,
    dump_name,
    dumps_directory,
    records_directory,
    safe_name,
)
from engine.errors import ContextError
from engine.workspace import Workspace
from tests.scripted import bench

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


@pytest.mark.parametrize(
    ("settings", "environment", "named"),
    [
        ({"compression_dump_dir": "/d/{session_id}/{run}"}, {}, "compression_dump_dir"),
        ({}, {DUMPS_VARIABLE: "{context_id}/{}"}, DUMPS_VARIABLE),
        ({}, {RECORDS_VARIABLE: "{context_id}{session_id.x}"}, RECORDS_VARIABLE),
        ({}, {RECORDS_VARIABLE: "{session_id}/{"}, RECORDS_VARIABLE),
    ],
)
def test_a_bad_template_is_named_as_soon_as_it_is_configured(
    settings: dict[str, str], environment: dict[str, str], named: str
) -> None:
    with pytest.raises(ContextError, match=f"{named}: .*{{session_id}} and {{context_id}}"):
        bench(("RoundLevelCompressor", settings), environment=environment)
    bench(("RoundLevelCompressor", settings), environment=environment, faithful=True)


def test_settings_within_settings_and_the_engine_s_own_are_tried_too() -> None:
    bad = "/d/{session_id}/{run}"
    with pytest.raises(ContextError, match=r"memory\.debug_dump_dir"):
        bench(("SessionMemoryCompressor", {"memory": {"debug_dump_dir": bad}}))
    with pytest.raises(ContextError, match="context_debug_dir"):
        bench(context_debug_dir=bad)
    engine = ContextEngine(environment={})
    with pytest.raises(ContextError, match="context_debug_dir"):
        engine.rebind_context_model(ContextEngineConfig(context_debug_dir=bad))


@pytest.mark.parametrize("template", ["/d/{foo}", "/d/{{x}}/{session_id}", "", "plain"])
def test_other_templates_are_fine(template: str) -> None:
    bench(("RoundLevelCompressor", {"compression_dump_dir": template}))
