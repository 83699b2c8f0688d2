"""The same jobs without a screen: one click command each, over the functions of the layers below.

A command reads its arguments, calls one function, and prints. A new command is one function with
`@commands.command()`; what needs Qt is imported inside it. A first word that names no command opens
the window on it, where a command `window` exists.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import math
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

import click

from engine.summarizers.openai import (
    DEFAULT_URL,
    KEY_VARIABLE,
    URL_VARIABLE,
    OpenAIModel,
    environment_key,
)
from engine.summarizers.recorded import DEFAULT_TIMEOUT
from engine.tokens.selection import COUNTER_NAMES, CounterName
from inspector import __version__
from inspector.insight.prices import PricesError, load_prices
from inspector.replay.case import Case, CaseError, load_case
from inspector.replay.chain import chain_text, load_chain
from inspector.replay.comparison import Comparison
from inspector.replay.comparison import compare as compare_traces
from inspector.replay.expectation import differences
from inspector.replay.export import export_case
from inspector.replay.insights import Insights
from inspector.replay.report import load_report, make_report
from inspector.replay.report_trace import ReportTrace
from inspector.replay.runner import SummarizerName
from inspector.replay.runner import replay as run_replay
from inspector.replay.settings import edited, parse_edit
from inspector.replay.study import TRIGGERS, Study, StudySweep, bundled_conversations
from inspector.replay.sweeps.cluster import ClusterWorkers
from inspector.replay.sweeps.grid import Grid, parse_axis
from inspector.replay.sweeps.job import OfflineSummarizer, SweptCase
from inspector.replay.sweeps.sweep import (
    SWEEP_FIGURES,
    Progress,
    Sweep,
    SweepResult,
    load_sweep,
    save_sweep,
)
from inspector.replay.sweeps.workers import LocalWorkers
from inspector.replay.take_home import command_line, decided_chain, python_settings
from inspector.sources.scan import Source
from inspector.trace.context_trace import ContextTrace
from inspector.trace.decision import Decision
from inspector.trace.opened import Opened, open_traces
from inspector.trace.overview import overview
from inspector.trace.recording import Recording

PROGRAM = "context-inspector"
DONE, FOUND, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done; done and something was found; wrong usage or nothing readable; interrupted."""

_WINDOW = "window"
_SAVE_SECONDS: Final = 5.0
"""How often a running sweep is saved."""
_OWN_OPTIONS = ("--help", "--version")

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class SettingOptions(TypedDict):
    """The options that say with which settings a case is replayed."""

    edits: tuple[str, ...]
    capacity: int | None
    model: str | None
    counter: CounterName | None
    chain: Path | None


_SETTINGS: Final = (
    click.option(
        "--set", "edits", multiple=True, metavar="OWNER.FIELD=VALUE", help="Edit a setting."
    ),
    click.option("--capacity", type=click.IntRange(min=1), help="Tokens of the window."),
    click.option(
        "--model", metavar="NAME", help="Agent's model: prices, and capacity if none is set."
    ),
    click.option("--counter", type=click.Choice(COUNTER_NAMES), help="What counts tokens."),
    click.option(
        "--chain", type=click.Path(path_type=Path), help="Processors in place of the case's."
    ),
)


def settings_options(command: CommandT) -> CommandT:
    """Give a command the options of `SettingOptions`."""
    for option in reversed(_SETTINGS):
        command = option(command)
    return command


def settings_of(options: SettingOptions) -> Callable[[Case], Case]:
    """Return what gives a case the settings of the command line.

    It raises `CaseError` where one of them does not exist or is invalid.

    Raises:
        CaseError: an edit has another form, or the chain file cannot be read.
    """
    return partial(
        edited,
        edits=[parse_edit(text) for text in options["edits"]],
        capacity=options["capacity"],
        counter=options["counter"],
        model=options["model"],
        chain=load_chain(options["chain"]) if options["chain"] else None,
    )


class OpeningGroup(click.Group):
    """A group that hands a first word which names no command to the window."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `window` in front where no command is named."""
        named = bool(args) and (args[0] in self.commands or args[0] in _OWN_OPTIONS)
        if _WINDOW in self.commands and not named:
            args = [_WINDOW, *args]
        return super().parse_args(ctx, args)


@click.group(cls=OpeningGroup)
@click.version_option(__version__, prog_name=PROGRAM)
def commands() -> None:
    """See why an LLM agent's context was compressed, what was lost, and what else could be set.

    Without a command: opens the window on PATH…, or with --demo on the sample.
    """


@commands.command(_WINDOW, hidden=True)
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--demo", is_flag=True, help="Open the sample that ships with the program.")
def window(paths: tuple[str, ...], demo: bool) -> int:
    """Open the window."""
    from inspector.ui.app import run_window

    check_existing(paths)
    return run_window(paths, demo)


@commands.command()
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--demo", is_flag=True, help="Open the sample that ships with the program.")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder of the pictures."
)
@click.option("--theme", type=click.Choice(["light", "dark", "both"]), default="both")
@click.option(
    "--size", "sizes", multiple=True, metavar="WxH", help="Of the window, in pixels; repeatable."
)
def shots(
    paths: tuple[str, ...], demo: bool, output: Path, theme: str, sizes: tuple[str, ...]
) -> int:
    """Take a picture of every panel and tab, offscreen."""
    from inspector.ui.shots import SIZES, THEMES, take_shots

    check_existing(paths)
    wanted = tuple(_parse_size(size) for size in sizes) or SIZES
    return take_shots(
        paths,
        demo,
        output,
        themes=THEMES if theme == "both" else (theme,),
        sizes=wanted,
        told=lambda path: click.echo(path),
    )


@commands.command()
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


@commands.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def decisions(paths: tuple[str, ...], as_json: bool) -> None:
    """Show every decision, in order of time, with its gates."""
    opened = open_paths(paths)
    found = in_order_of_time(opened.traces)
    if as_json:
        for decision in found:
            print_json(decision.to_json())
        return
    several = len(opened.traces) > 1
    for decision in found:
        click.echo(_decision_line(decision, several))


@commands.command()
@click.argument("case_path", metavar="CASE", type=click.Path(path_type=Path))
@settings_options
@click.option("--wording", type=click.Path(path_type=Path), help="Texts that win over the case's.")
@click.option(
    "--summarizer",
    type=click.Choice(["recorded", "extractive", "openai"]),
    help="Who writes summaries; recorded where the case has replies.",
)
@click.option(
    "--summary-model",
    metavar="NAME",
    help="Model of --summarizer openai, at $OPENAI_BASE_URL with the key in $OPENAI_API_KEY.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Report; else to stdout.")
@click.option("--check", is_flag=True, help="Compare with what the case expects.")
@click.option("--insights/--no-insights", default=True, help="Judge cost and retention, or do not.")
def replay(
    case_path: Path,
    wording: Path | None,
    summarizer: SummarizerName | None,
    summary_model: str | None,
    output: Path | None,
    check: bool,
    insights: bool,
    **settings: Unpack[SettingOptions],
) -> int:
    """Run the engine over a conversation, with its settings or with edited ones."""
    case_file = load_case(case_path)
    if check and case_file.expected is None:
        raise click.UsageError(f"{case_path} states nothing to check: it has no key `expected`")
    case = settings_of(settings)(case_file.case)
    running = run_replay(
        case,
        base=case_file.case,
        wording=_read_object(wording) if wording else None,
        summarizer=summarizer,
        model=_online_model(summary_model, case.timeout) if summarizer == "openai" else None,
    )
    ran = asyncio.run(running)
    writing = output is not None or not check
    report = make_report(ran, Insights().measures(ran) if insights and writing else None)
    if writing:
        _write_document(report.model_dump(mode="json", exclude_none=True), output)
    if not check:
        return DONE
    found = differences(case_file.expected or {}, report)
    for line in found:
        click.echo(line, err=output is None)
    click.echo(f"{len(found)} differences" if found else "as expected", err=True)
    return FOUND if found else DONE


@commands.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--session", metavar="ID", help="The session, where a side is a recording.")
@click.option("--context", metavar="ID", help="Its context, where it has several.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compare(a: Path, b: Path, session: str | None, context: str | None, as_json: bool) -> int:
    """Compare two replay reports, or a recorded session and a report."""
    left, right = (_trace_of(path, session, context) for path in (a, b))
    comparison = compare_traces(left, right, Insights())
    if as_json:
        print_json(comparison.model_dump(mode="json"))
    else:
        _print_comparison(comparison)
    return FOUND if comparison.decisions else DONE


@commands.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--session", metavar="ID", help="The session; may be left out when there is one.")
@click.option("--context", metavar="ID", help="Its context; may be left out when it has one.")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The case to write."
)
@click.option("--chain", type=click.Path(path_type=Path), help="Write its chain to a file too.")
def export(
    paths: tuple[str, ...],
    session: str | None,
    context: str | None,
    output: Path,
    chain: Path | None,
) -> None:
    """Write a recorded session as a replay case."""
    case_file = export_case(_recording(paths, session, context))
    _write_document(case_file.model_dump(mode="json", exclude_none=True), output)
    case = case_file.case
    if chain is not None:
        _write_text(chain_text(case.processors), chain)
    click.echo(
        f"{output}: {len(case.messages)} messages, {len(case.groups or ())} window requests",
        err=True,
    )
    for name, value in case.assumed.items():
        click.echo(f"assumed: {name} = {value}", err=True)
    for gap in case.gaps:
        where = f"from step {gap.step}" if gap.step else "throughout"
        click.echo(f"missing {where}: {gap.what}", err=True)


def _online_model(name: str | None, timeout: float | None) -> OpenAIModel:
    """Return the model that summaries are asked of, and say where the conversation will go.

    Raises:
        click.UsageError: the options and the environment do not name one.
    """
    if name is None:
        raise click.UsageError("--summarizer openai needs --summary-model NAME")
    model = OpenAIModel(name, timeout=timeout or DEFAULT_TIMEOUT)
    if model.base_url == DEFAULT_URL and not environment_key():
        raise click.UsageError(
            f"--summarizer openai: set {KEY_VARIABLE}, or {URL_VARIABLE} for another endpoint"
        )
    url = urlsplit(model.base_url)
    shown = url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()  # without a password
    click.echo(f"parts of the conversation are sent to {name} at {shown}", err=True)
    return model


@commands.command()
@click.argument(
    "case_paths", nargs=-1, required=True, metavar="CASE…", type=click.Path(path_type=Path)
)
@click.option(
    "--vary",
    "axes",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of a setting: start:stop:step, a,b,c or log:start:stop:count.",
)
@settings_options
@click.option("--wording", type=click.Path(path_type=Path), help="Texts that win over the cases'.")
@click.option(
    "--summarizer",
    type=click.Choice(["recorded", "extractive"]),
    help="Who writes summaries; recorded where a case has replies.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Run so many combinations only.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; one for each core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on this Dask cluster: tcp://host:port.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Result; what an earlier run left there is not run again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def sweep(
    case_paths: tuple[Path, ...],
    axes: tuple[str, ...],
    wording: Path | None,
    summarizer: OfflineSummarizer | None,
    sample: int | None,
    jobs: int | None,
    scheduler: str | None,
    output: Path | None,
    as_json: bool,
    **settings: Unpack[SettingOptions],
) -> int:
    """Replay one or many cases with every combination of settings."""
    grid = Grid([parse_axis(text) for text in axes])
    prices = load_prices()
    texts = _read_object(wording) if wording else None
    with_settings = settings_of(settings)
    cases = []
    for path in case_paths:
        recorded = load_case(path).case
        case = with_settings(recorded)
        cases.append(SweptCase(str(path), case, prices, texts, summarizer, recorded))
    swept = Sweep(cases, grid, sample, load_sweep(output) if output else None)
    finished = _run_sweep(swept, jobs, scheduler, output)
    result = swept.result()
    if as_json:
        print_json(result.model_dump(mode="json"))
    elif output is None:
        _print_sweep(result)
    return _told(result) if finished else INTERRUPTED


@commands.command()
@click.argument("case_paths", nargs=-1, metavar="[CASE…]", type=click.Path(path_type=Path))
@click.option(
    "--trigger",
    "triggers",
    multiple=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of the capacity at which to act; repeatable.",
)
@click.option("--capacity", type=click.IntRange(min=1), help="Tokens of the window.")
@click.option("--model", metavar="NAME", help="Agent's model: its prices count.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; one for each core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on this Dask cluster: tcp://host:port.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def study(
    case_paths: tuple[Path, ...],
    triggers: tuple[float, ...],
    capacity: int | None,
    model: str | None,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Compare masking, summary and a layered chain, on what ships with the program or on CASE."""
    given = {str(path): load_case(path).case for path in case_paths}
    conversations = {
        name: edited(case, [], capacity, model=model)
        for name, case in (given or bundled_conversations()).items()
    }
    swept = StudySweep(conversations, load_prices(), triggers or TRIGGERS)
    finished = _run_sweep(swept, jobs, scheduler, None)
    found = swept.study()
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _print_study(found)
    return _told(swept.result()) if finished else INTERRUPTED


@commands.command("settings")
@click.argument("case_path", metavar="CASE", type=click.Path(path_type=Path))
@settings_options
@click.option(
    "--as",
    "form",
    type=click.Choice(["python", "chain", "command"]),
    default="python",
    help="For openJiuwen, as a chain file, or as the command that replays with them.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Else to stdout.")
def take_home(
    case_path: Path, form: str, output: Path | None, **settings: Unpack[SettingOptions]
) -> None:
    """Write a case's settings, with edits, in a form to take home."""
    base = load_case(case_path).case
    case = settings_of(settings)(base)
    if form == "python":
        text = python_settings(case)
    elif form == "chain":
        text = chain_text(decided_chain(case))
    else:
        text = command_line(base, case, str(case_path), str(settings["chain"])) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        _write_text(text, output)


def _run_sweep(swept: Sweep, jobs: int | None, scheduler: str | None, output: Path | None) -> bool:
    """Run a sweep, saving what is done from time to time; return whether it came to its end."""
    progress = _SweepProgress()
    saved = monotonic()
    try:
        with (
            ClusterWorkers(swept.cases, scheduler)
            if scheduler
            else LocalWorkers(swept.cases, jobs) as workers
        ):
            for state in swept.run(workers):
                progress.show(state)
                if output is not None and monotonic() - saved > _SAVE_SECONDS:
                    save_sweep(swept.result(), output)
                    saved = monotonic()
    except KeyboardInterrupt:
        return False
    finally:
        progress.close()
        if output is not None:
            save_sweep(swept.result(), output)
    return True


def _told(result: SweepResult) -> int:
    """Say what failed, and return the exit code."""
    if result.failed:
        first = result.failed[0]
        named = ", ".join(f"{name}={value}" for name, value in first.settings.items())
        click.echo(
            f"{PROGRAM}: {len(result.failed)} of {len(result.failed) + len(result.rows)} "
            f"combinations failed, the first in {first.case} with {named or 'its own settings'}: "
            f"{first.reason}",
            err=True,
        )
    return UNUSABLE if result.failed and not result.rows else DONE


@commands.command()
@click.option("--size", type=click.Choice(["small", "moderate", "full"]), default="moderate")
@click.option(
    "--cases",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of speed cases, timed with the real package.",
)
@click.option("--group", "groups", multiple=True, help="Measure this group only; repeatable.")
def bench(size: str, cases: Path | None, groups: tuple[str, ...]) -> int:
    """Measure the goals of speed and size on this machine, as ratios."""
    from inspector.bench.run import GROUPS, run, told

    unknown = set(groups).difference(GROUPS)
    if unknown:
        raise click.UsageError(f"no group {', '.join(sorted(unknown))}: take {', '.join(GROUPS)}")
    met = True
    for goal in run(size, cases, groups or GROUPS):
        click.echo(told(goal))
        met &= goal.met is not False
    return DONE if met else FOUND


def check_existing(paths: Sequence[str]) -> None:
    """Refuse paths that are not there.

    Raises:
        click.UsageError: one of them does not exist.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise click.UsageError(f"{path}: there is no such file or folder")


def in_order_of_time(traces: Iterable[Recording]) -> Iterator[Decision]:
    """Yield the decisions of all traces; those without a time follow the last of their context."""

    def of_one(at: int, trace: Recording) -> Iterator[tuple[float, int, int, Recording]]:
        last = -math.inf
        for row, time in enumerate(trace.decisions.time.tolist()):
            last = last if math.isnan(time) else time
            yield last, at, row, trace

    for _time, _at, row, trace in heapq.merge(*(of_one(*pair) for pair in enumerate(traces))):
        yield trace.decision(row)


def open_paths(paths: Sequence[str]) -> Opened:
    """Open paths with progress on a terminal; what of them cannot be read is said on stderr.

    Raises:
        click.ClickException: nothing could be read.
    """
    progress = _Progress()
    try:
        opened = open_traces(paths, progress=progress.show)
    finally:
        progress.close()
    unread = [s for s in opened.sources if s.kind == "unknown" and not s.bytes and s.problems]
    for source in unread:
        if source.path in paths:
            click.echo(f"{PROGRAM}: {source.path}: {source.problems[0].reason}", err=True)
    if len(unread) == len(opened.sources):
        raise click.ClickException(
            f"nothing could be read in {', '.join(paths)}: "
            "give the path of a workspace, a session or debug folder, or one file"
        )
    return opened


class _Progress:
    """Counts files on stderr where that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._files = self._bytes = 0

    def show(self, source: Source) -> None:
        """Count a file."""
        self._files += 1
        self._bytes += source.bytes
        if self._shown and (self._files % 50 == 1 or source.bytes > 10_000_000):
            text = f"\r{self._files} files, {self._bytes / 1e6:.1f} MB read"
            click.echo(text, err=True, nl=False)

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            click.echo("\r" + " " * 40 + "\r", err=True, nl=False)


class _SweepProgress:
    """Counts rows on stderr where that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def show(self, state: Progress) -> None:
        """Show how far a sweep is."""
        if not self._shown:
            return
        left = state.seconds_left
        time_left = "" if left is None else f", {left / 60:.0f} min {left % 60:.0f} s left"
        click.echo(f"\r{state.done} of {state.total} rows{time_left}\x1b[K", err=True, nl=False)

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)


def print_json(value: Any) -> None:
    """Print one JSON document on one line, whatever a reader takes for a line end."""
    text = json.dumps(value, ensure_ascii=False)
    for end in "\x85\u2028\u2029":
        text = text.replace(end, f"\\u{ord(end):04x}")
    click.echo(text)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns, numbers to the right, unless there are none."""
    if not rows:
        return
    texts = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(headers, *texts, strict=True)]
    right = [any(_is_number(row[at]) for row in rows) for at in range(len(headers))]
    for line in (headers, *texts):
        cells = [
            " " * (width - _width(text)) + text if end else text + " " * (width - _width(text))
            for text, width, end in zip(line, widths, right, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())
    click.echo()


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return len(text) + sum(unicodedata.east_asian_width(c) in "WF" for c in text)


def _source_json(source: Source) -> dict[str, Any]:
    return {
        "path": source.path,
        "kind": source.kind,
        "records": source.records,
        "bytes": source.bytes,
        "writer": source.writer,
        "problems": [
            {"path": p.path, "offset": p.offset, "line": p.line, "reason": p.reason}
            for p in source.problems
        ],
    }


def _decision_line(decision: Decision, with_context: bool) -> str:
    time = "" if decision.time is None else str(datetime.fromtimestamp(decision.time))
    tokens = decision.tokens
    why = decision.reason or " or ".join(decision.candidates)
    parts = [
        f"{time:26}",
        f"{decision.step or '-':>5}",
        f"{decision.processor:23}",
        f"{decision.outcome:10}",
        "   " if decision.basis == "recorded" else "(?)",
        f"{_cell(why):24}",
    ]
    if tokens and tokens.total is not None:
        parts.append(f"{tokens.total} of {tokens.threshold}")
    if tokens and tokens.before is not None and tokens.after is not None:
        parts.append(f"{tokens.before} → {tokens.after}")
    if with_context:
        parts.append(_cell(f"{decision.session_id} {decision.context_id}"))
    return " ".join(parts).rstrip()


def _parse_size(text: str) -> tuple[int, int]:
    """Read a size such as 1280x800.

    Raises:
        click.UsageError: it is none, or not between 320x240 and 10000x10000.
    """
    width, _, height = text.lower().partition("x")
    if width.isdecimal() and height.isdecimal():
        size = int(width), int(height)
        if 320 <= size[0] <= 10_000 and 240 <= size[1] <= 10_000:
            return size
    raise click.UsageError(f"{text} is no size of a window: write one such as 1280x800")


def _recording(paths: Sequence[str], session: str | None, context: str | None) -> Recording:
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
    there = ", ".join(f"{trace.session_id} ({trace.context_id})" for trace in traces) or "none"
    raise click.UsageError(
        f"{', '.join(paths)}: {'several sessions fit' if meant else 'no such session'}; "
        f"name one with --session and --context: {there}"
    )


def _trace_of(path: Path, session: str | None, context: str | None) -> ContextTrace:
    """Return a replay report or a recorded context as a trace."""
    report = load_report(path)
    return ReportTrace(report) if report else _recording([str(path)], session, context)


def _read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        click.ClickException: the file cannot be read or holds something else.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{path}: is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise click.ClickException(f"{path}: holds no JSON object")
    return data


def _write_document(document: dict[str, Any], path: Path | None) -> None:
    if path is None:
        print_json(document)
        return
    _write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", path)


def _write_text(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror}") from error


def _print_sweep(result: SweepResult) -> None:
    names = list(result.grid)
    print_table(
        ["", "case", *names, *SWEEP_FIGURES],
        [
            [
                "*" if at in result.pareto else "",
                row.case,
                *(row.settings[name] for name in names),
                *(getattr(row, name) for name in SWEEP_FIGURES),
            ]
            for at, row in enumerate(result.rows)
        ],
    )
    if result.rows:
        click.echo(
            f"* none of the same case costs less and retains more; costs in {result.currency}"
        )


def _print_study(found: Study) -> None:
    print_table(
        ["", "conversation", "strategy", "trigger", *SWEEP_FIGURES],
        [
            [
                "*" if at in found.best else "",
                run.conversation,
                run.strategy,
                run.trigger,
                *(getattr(run.row, name) for name in SWEEP_FIGURES),
            ]
            for at, run in enumerate(found.rows)
        ],
    )
    if found.rows:
        click.echo(
            "* no other strategy costs less and retains more in this conversation; "
            f"costs in {found.currency}, summaries {found.summarizer}"
        )


def _print_comparison(comparison: Comparison) -> None:
    print_table(
        ["metric", "a", "b", "delta"],
        [[m.name, m.a, m.b, m.delta] for m in comparison.metrics],
    )
    print_table(
        ["step", "processor", "a", "b"],
        [[d.step, d.processor, d.a, d.b] for d in comparison.decisions],
    )
    steps, divergence = comparison.steps, comparison.first_divergence
    where = f"first divergence at step {divergence.step}" if divergence else "no divergence"
    click.echo(f"{where}; {steps.compared} steps compared ({steps.a} in a, {steps.b} in b)")
    for side, counts in comparison.summaries.items():
        told = " · ".join(f"{name} {n}" for name, n in counts.items())
        if told:
            click.echo(f"summaries of {side}: {told}")


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a lone surrogate is printed as its escape
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; return the exit code."""
    try:
        with commands.make_context(PROGRAM, list(arguments)) as context:
            result = commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as finished:  # after --help or --version
        return finished.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return UNUSABLE
    except click.ClickException as error:
        where = getattr(error, "ctx", None)
        hint = f" (try {where.command_path} --help)" if where else ""
        click.echo(f"{PROGRAM}: {error.format_message()}{hint}", err=True)
        return UNUSABLE
    except (CaseError, PricesError) as error:
        click.echo(f"{PROGRAM}: {error}", err=True)
        return UNUSABLE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return result if isinstance(result, int) else DONE
