"""Resources are found in a checkout, a wheel and an editable install."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from engine.resources import resource_path

ROOT = Path(__file__).parents[1]

LOCATE = """
import engine
from engine.resources import resource_path
print(engine.__file__)
print(resource_path("README.md"))
"""


def locate_installed(version: str, folder: Path) -> tuple[Path, Path]:
    """Install one version of the wheel alone, and ask it from elsewhere.

    Args:
        version: `standard` or `editable`.
        folder: An empty folder for the wheel and the virtual environment.

    Returns:
        The package `engine` that was imported, and the resource `README.md` that it found.
    """
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", f"wheel:{version}", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    paths = {"base": str(environment), "platbase": str(environment)}
    site_packages = Path(sysconfig.get_path("purelib", "venv", paths))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(site_packages)
    # Dependencies come from the environment of the tests, after what was just installed.
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    output = subprocess.run(
        [Path(sysconfig.get_path("scripts", "venv", paths)) / "python", "-I", "-c", LOCATE],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    package, resource = output.splitlines()
    return Path(package).parent, Path(resource)


def test_checkout() -> None:
    assert resource_path("README.md") == ROOT / "resources" / "README.md"


def test_wheel_carries_its_own_copy(tmp_path: Path) -> None:
    package, resource = locate_installed("standard", tmp_path)
    assert package.is_relative_to(tmp_path)
    assert resource == package / "_resources" / "README.md"
    assert resource.read_bytes() == (ROOT / "resources" / "README.md").read_bytes()


def test_editable_install_reads_the_checkout(tmp_path: Path) -> None:
    package, resource = locate_installed("editable", tmp_path)
    assert package == ROOT / "engine"
    assert resource == ROOT / "resources" / "README.md"


def test_a_missing_resource_is_told_by_name_and_place() -> None:
    with pytest.raises(FileNotFoundError, match=r"sample/lost is missing .* in .*resources"):
        resource_path("sample/lost")
