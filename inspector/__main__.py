"""Starts the program: `context-inspector`, or `python -m inspector`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt is quiet also while that is being loaded."""
    try:
        from inspector import cli
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
