"""What every test shares.

The folders below mirror the product's and hold no `__init__.py`: pytest imports each file by its
path, and a package named `engine` in here would hide the real one. Helpers for several test files
stand in a module of their own and are imported from `tests`.
"""

import multiprocessing.util
import os
import sys
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A slow machine is no failure. Where a change is judged, examples are the same each time: a new
# counterexample belongs to whoever looks for one, not to the change that happens to be tested.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "judged", hypothesis.settings.get_profile("untimed"), derandomize=True
)
hypothesis.settings.load_profile("judged" if os.environ.get("CI") else "untimed")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The recorded runs and reference cases, which lie beside the checkout where they exist."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder of recorded runs beside the checkout")
    return folder


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process before Python frees Qt's objects, in whatever order, and crashes over it.

    All results are told by now. The program itself closes its window and threads in order.
    """
    if "PySide6.QtWidgets" in sys.modules and _STATUS in config.stash:
        multiprocessing.util._run_finalizers()  # type: ignore[attr-defined]  # removes its folder
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_STATUS])


_STATUS = pytest.StashKey[int]()
