"""The examples of the engine's README run, and what it says of names and files is so."""

import importlib
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "engine" / "README.md"
TEXT = README.read_text(encoding="utf-8")
SECTIONS = TEXT.split("\n## ")[1:]
EXAMPLES = {
    section.partition("\n")[0]: code
    for section in SECTIONS
    for code in re.findall(r"```python\n(.*?)```", section, re.DOTALL)
}

MEMBERS = {"add_messages", "set_messages", "pop_messages", "clear_messages", "tools", "model"}
"""What the table names of a context, a window or settings: no places."""


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_gives_what_it_says(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code = compile(EXAMPLES[title], f"{README.name}: {title}", "exec")
    exec(code, {"__name__": "example"})
    assert "assert " in EXAMPLES[title]
    assert list(tmp_path.iterdir()) == []


def test_every_example_is_one_of_its_section() -> None:
    assert TEXT.count("```python") == len(EXAMPLES) == 11


def named_places() -> set[str]:
    """Return what the table of names points to, as dotted paths below `engine`."""
    [table] = [section for section in SECTIONS if section.startswith("Names\n")]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")][1:]
    paths = {path for row in rows for path in re.findall(r"`([a-z_]+(?:\.\w+)*)`", row)}
    return paths - MEMBERS


@pytest.mark.parametrize("path", sorted(named_places()))
def test_a_name_is_where_the_table_says(path: str) -> None:
    module, _, name = f"engine.{path}".rpartition(".")
    found = importlib.import_module(module)
    assert hasattr(found, name) or importlib.import_module(f"{module}.{name}")


def test_the_table_of_names_points_to_places() -> None:
    assert len(named_places()) >= 25
