"""What a command is given: paths to open, a recording among them, a JSON object."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from inspector.commands.exit_codes import PROGRAM
from inspector.commands.printing import ProgressLine, say
from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import load_json
from inspector.replay.reports.report import damaged, load_report
from inspector.replay.reports.report_trace import ReportTrace
from inspector.sources.scan import Source
from inspector.trace.context_trace import ContextTrace
from inspector.trace.opened import Opened, open_traces
from inspector.trace.recording import Recording


def check_existing(paths: Sequence[str]) -> None:
    """Refuse paths that are not there.

    Raises:
        click.UsageError: one of them does not exist.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise click.UsageError(f"{path}: there is no such file or folder")


def open_paths(paths: Sequence[str]) -> Opened:
    """Open paths with progress on a terminal; what of them cannot be read is said on stderr.

    Raises:
        click.ClickException: nothing could be read.
    """
    files = read = 0

    def count(source: Source) -> None:
        nonlocal files, read
        files += 1
        read += source.bytes
        if files % 50 == 1 or source.bytes > 10_000_000:
            progress.show(f"{files} files, {read / 1e6:.1f} MB read")

    with ProgressLine() as progress:
        opened = open_traces(paths, progress=count)
    unread = [s for s in opened.sources if s.kind == "unknown" and not s.bytes and s.problems]
    for source in unread:
        if source.path in paths:
            say(f"{PROGRAM}: {source.path}: {source.problems[0].reason}")
    if len(unread) == len(opened.sources):
        raise click.ClickException(
            f"nothing could be read in {', '.join(paths)}: "
            "give the path of a workspace, a session or debug folder, or one file"
        )
    return opened


def recording(paths: Sequence[str], session: str | None, context: str | None) -> Recording:
    """Return the one recorded context that is meant.

    Raises:
        click.UsageError: there is none, or there are several.
    """
    traces = open_paths(paths).traces
    meant = [
        trace
        for trace in traces
        if session in (None, trace.session_id) and context in (None, trace.context_id)
    ]
    if len(meant) == 1:
        return meant[0]
    if not traces:
        raise click.UsageError(f"{', '.join(paths)}: no recorded session is in there")
    there = ", ".join(f"{trace.session_id} ({trace.context_id})" for trace in traces)
    raise click.UsageError(
        f"{', '.join(paths)}: {'several sessions fit' if meant else 'no such session'}; "
        f"name one with --session and --context: {there}"
    )


def trace_of(path: Path, session: str | None, context: str | None) -> ContextTrace:
    """Return a replay report or a recorded context as a trace.

    Raises:
        CaseError: it is a damaged report.
        click.UsageError: there is no such context, or there are several.
    """
    report = load_report(path)
    if report is None:
        return recording([str(path)], session, context)
    try:
        return ReportTrace(report)
    except ValidationError as error:
        raise damaged(path, error) from error


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        CaseError: the file cannot be read or holds something else.
    """
    data = load_json(path)
    if not isinstance(data, dict):
        raise CaseError(f"{path}: holds no JSON object")
    return data
