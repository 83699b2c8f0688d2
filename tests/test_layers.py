"""Rules about what may stand where, beyond the import contracts in `pyproject.toml`."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

QT_MODULES = {"tasks": {"QtCore"}, "models": {"QtCore", "QtGui"}}
"""Folders of `inspector/ui` that draw nothing, and the modules of Qt they may import."""

WITHOUT_QT = """
import importlib, sys
for name in ("PySide6", "shiboken6", "pyqtgraph"):
    sys.modules[name] = None  # importing it raises
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def product_files() -> list[Path]:
    return sorted(path for name in ("engine", "inspector") for path in (ROOT / name).rglob("*.py"))


def qt_modules(source: str) -> Iterator[str]:
    """Yield the modules of PySide6 that Python source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                imported = [alias.name for alias in names]
            case ast.ImportFrom(module="PySide6", names=names):
                imported = [f"PySide6.{alias.name}" for alias in names]
            case ast.ImportFrom(module=str(module)):
                imported = [module]
            case _:
                continue
        for name in imported:
            package, _, module = name.partition(".")
            if package == "PySide6":
                yield module


@pytest.mark.parametrize(
    "source",
    [
        "from PySide6.QtWidgets import QWidget",
        "from PySide6 import QtWidgets as widgets",
        "import PySide6.QtWidgets",
        "def late():\n    from PySide6 import QtWidgets",
    ],
)
def test_every_way_to_import_a_qt_module_is_seen(source: str) -> None:
    assert list(qt_modules(source)) == ["QtWidgets"]


@pytest.mark.parametrize("folder", QT_MODULES)
def test_tasks_and_models_know_no_widgets(folder: str) -> None:
    imported = {
        module
        for path in (ROOT / "inspector" / "ui" / folder).rglob("*.py")
        for module in qt_modules(path.read_text(encoding="utf-8"))
    }
    assert imported <= QT_MODULES[folder]


def test_everything_below_the_window_imports_without_qt() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in product_files()
        if not any(path.is_relative_to(ROOT / "inspector" / name) for name in ("ui", "bench"))
        and path.name != "__main__.py"
    ]
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_QT, *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "engine.resources" in names
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("name", ["truth.json", "result.json", "input.json"])
def test_the_product_knows_nothing_of_the_answers_to_its_tests(name: str) -> None:
    mentions = [path for path in product_files() if name in path.read_text(encoding="utf-8")]
    assert mentions == []
