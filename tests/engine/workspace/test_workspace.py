"""Declared paths and the folder behind them."""

from pathlib import Path

import pytest

from engine.workspace import Workspace


@pytest.mark.parametrize(
    "root", ["/srv/agent", "/srv/agent/", "/srv/../srv/agent", "/srv//agent", "agent", ".", "/", ""]
)
def test_a_file_is_found_however_the_workspace_spells_its_path(root: str, tmp_path: Path) -> None:
    workspace = Workspace(root, tmp_path)
    (tmp_path / "todo").mkdir()
    (tmp_path / "todo" / "todo.json").write_text("[]", encoding="utf-8")
    declared = workspace.declared("todo", "todo.json")
    assert workspace.read_text(declared) == "[]"
    assert workspace.holds(declared)
    assert workspace.inside(declared) == "todo/todo.json"
    assert workspace.physical(declared) == tmp_path / "todo" / "todo.json"


@pytest.mark.parametrize(
    "declared", ["/srv/agent/../../etc/passwd", "/etc/passwd", "/srv/agents/x", "x"]
)
def test_what_lies_outside_is_neither_read_nor_listed(declared: str, tmp_path: Path) -> None:
    workspace = Workspace("/srv/agent", tmp_path)
    assert workspace.inside(declared) is None
    assert workspace.read_text(declared) is None
    assert not workspace.holds(declared)


def test_a_path_that_climbs_out_is_kept_in_and_a_foreign_one_is_itself(tmp_path: Path) -> None:
    workspace = Workspace("/srv/agent", tmp_path)
    assert workspace.physical("/srv/agent/a/../../../x") == tmp_path / "a" / "-" / "-" / "-" / "x"
    assert workspace.physical("/var/dumps") == Path("/var/dumps")


@pytest.mark.parametrize("name", ["nul\0byte", "x" * 400, "会" * 100, "\ud800", "a/../../b", ".."])
def test_a_name_that_no_disk_takes_is_made_safe(name: str, tmp_path: Path) -> None:
    workspace = Workspace("/w", tmp_path / "w")
    declared = workspace.declared("context", f"{name}_context", "notes.md")
    assert declared == f"/w/context/{name}_context/notes.md"
    workspace.write_new(declared, "text")
    assert workspace.read_text(declared) == "text"
    assert workspace.holds(declared)
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["context"]


def test_no_id_leads_into_another_s_folder(tmp_path: Path) -> None:
    workspace = Workspace("/w", tmp_path)
    ids = ["s", "x/../s", "../s", "s" * 300, "s" * 301]
    folders = {workspace.physical(f"/w/context/{name}_context") for name in ids}
    assert len(folders) == len(ids)


def test_what_is_no_text_reads_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    workspace = Workspace("/w", tmp_path)
    for name in ("bytes", "missing", "", "nul\0byte", "x" * 5000):
        assert workspace.read_text(workspace.declared(name)) is None
    assert workspace.holds("/w/bytes")
    assert not workspace.holds("/w/" + "x" * 5000)


def test_a_live_agent_s_workspace_is_where_it_says(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path)
    assert workspace.physical(workspace.declared("a", "b")) == tmp_path / "a" / "b"
