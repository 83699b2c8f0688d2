"""Text without a structure: white space collapsed, repeated lines dropped (`engine.md` §5.8.2)."""

from __future__ import annotations

from engine.processors.rules.content import Shortened, Source


def shorten(source: Source) -> Shortened | None:
    """Return the text with each line once, if that saves enough."""
    seen: set[str] = set()
    kept: list[str] = []
    for line in source.text.splitlines():
        line = " ".join(line.split())
        if not line:
            if kept and kept[-1]:
                kept.append(line)
        elif line not in seen:
            seen.add(line)
            kept.append(line)
    return source.shortened("\n".join(kept).strip())
