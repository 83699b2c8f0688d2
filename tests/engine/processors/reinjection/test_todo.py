"""The to-do list (`engine.md` G (ii))."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recovered import recovered

ITEM = "status_todo_id_content_suffix"


def todo(folder: Path) -> list[str]:
    return recovered(folder=folder, builders=["todo"]).get("todo", "").splitlines()


def write(folder: Path, items: Any, path: str = "s/todo.json") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(items if isinstance(items, str) else json.dumps(items), encoding="utf-8")


@pytest.mark.parametrize("path", ["s/todo.json", "todo/s/todo.json"])
def test_open_items_and_counts_of_all(path: str, tmp_path: Path) -> None:
    items: list[Any] = [
        {"id": 1, "content": " write ", "status": "in_progress", "activeForm": "writing"},
        {"id": 2, "content": "test", "status": "completed"},
        "no item",
        {"description": "look"},
        {"id": 4, "status": "pending", "content": "same", "activeForm": " same "},
        {"id": 0, "status": "", "content": "no values", "activeForm": " "},
        {"id": 5, "status": "pending", "content": "  "},
    ]
    write(tmp_path, items, path)
    assert todo(tmp_path) == [
        "active_todos",
        f"{ITEM} status=in_progress todo_id=1 content=write suffix=active_form active_form=writing",
        f"{ITEM} status=pending todo_id=unknown content=look suffix=",
        f"{ITEM} status=pending todo_id=4 content=same suffix=",
        f"{ITEM} status=pending todo_id=unknown content=no values suffix=",
        f"{ITEM} status=pending todo_id=5 content=no_content suffix=",
        "status_counts_summary summary=status_count status=completed count=1, "
        "status_count status=in_progress count=1, status_count status=pending count=4",
    ]


def test_the_session_s_own_folder_comes_first(tmp_path: Path) -> None:
    write(tmp_path, [{"content": "own"}])
    write(tmp_path, [{"content": "other"}], "todo/s/todo.json")
    assert "content=own" in todo(tmp_path)[1]


@pytest.mark.parametrize(
    "items",
    [
        "",
        "not JSON",
        "{}",
        "null",
        "[" * 5000,
        [],
        ["x"],
        [{"status": "completed", "content": "x"}],
    ],
)
def test_nothing_open_gives_no_section(items: Any, tmp_path: Path) -> None:
    write(tmp_path, items)
    assert todo(tmp_path) == []
