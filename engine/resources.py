"""Where the files of `resources/` are, however the program was installed.

A wheel carries them as `engine/_resources`; a checkout, and an editable install of it, has them in
`resources/` beside this package. The wheel's folder is looked for first, because beside an
installed package lies somebody else's `resources/`, if any.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(relative: str) -> Path:
    """Return the absolute path of a file or folder of `resources/`.

    Args:
        relative: Path below `resources/`, with forward slashes.

    Raises:
        FileNotFoundError: The installation does not hold it.
    """
    installed = _PACKAGE / "_resources"
    root = installed if installed.is_dir() else _PACKAGE.parent / "resources"
    path = root / relative
    if not path.exists():
        raise FileNotFoundError(
            f"{relative} is missing from the program's files in {root}: "
            "install Context Inspector again, or restore that folder of the checkout"
        )
    return path
