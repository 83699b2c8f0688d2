"""`inspect`: what is in there."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from inspector.commands.inputs import open_paths
from inspector.commands.printing import print_json, print_table
from inspector.sources.scan import Source
from inspector.trace.overview import overview


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def inspect(paths: tuple[str, ...], as_json: bool) -> None:
    """Show what is in there: sources, sessions, counts, problems."""
    opened = open_paths(paths)
    overviews = [overview(trace).model_dump() for trace in opened.traces]
    if as_json:
        sources = [_source_json(source) for source in opened.sources]
        print_json({"sources": sources, "sessions": overviews})
        return
    files = [
        [s.kind, s.records, s.bytes, s.writer, len(s.problems), s.path] for s in opened.sources
    ]
    print_table(["kind", "records", "bytes", "writer", "problems", "path"], files)
    shown = ["steps", "decisions", "model_calls", "capacity", "peak_tokens", "tokens_saved"]
    print_table(
        ["session", "context", *shown, "outcomes"],
        [
            [
                found["session_id"],
                found["context_id"],
                *(found[name] for name in shown),
                ", ".join(f"{name} {n}" for name, n in found["outcomes"].items()),
            ]
            for found in overviews
        ],
    )
    problems = [[p.path, p.offset, p.line, p.reason] for p in opened.problems]
    print_table(["problem in", "offset", "line", "reason"], problems)


def _source_json(source: Source) -> dict[str, Any]:
    return {
        "path": source.path,
        "kind": source.kind,
        "records": source.records,
        "bytes": source.bytes,
        "writer": source.writer,
        "problems": [asdict(problem) for problem in source.problems],
    }
