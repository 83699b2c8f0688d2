"""`replay`: the engine over a conversation."""

from __future__ import annotations

from asyncio import run
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path
from typing import Any, Unpack

import click

from inspector.commands.asking import ask
from inspector.commands.exit_codes import DONE, FOUND
from inspector.commands.inputs import read_object
from inspector.commands.options import SettingOptions, settings_of, settings_options
from inspector.commands.printing import ProgressLine, cell, say, write_document
from inspector.replay.cases.case import Case
from inspector.replay.cases.case_file import load_case
from inspector.replay.cases.oddities import oddities
from inspector.replay.comparisons.insights import Figures, Insights
from inspector.replay.reports.expectation import differences
from inspector.replay.reports.report import make_report
from inspector.replay.runs.run import Run, SummarizerName
from inspector.replay.runs.runner import replay as run_replay
from inspector.replay.summaries.kept_summarizer import KeptSummarizer


@click.command()
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
    help="Model of --summarizer openai, at $OPENAI_BASE_URL with the key in $OPENAI_API_KEY or in "
    "the system's keyring.",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    help="Keep what the model answers here; what is there is not asked again.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Report; else to stdout.")
@click.option("--check", is_flag=True, help="Compare with what the case expects.")
@click.option("--insights/--no-insights", default=True, help="Judge cost and retention, or do not.")
def replay(
    case_path: Path,
    wording: Path | None,
    summarizer: SummarizerName | None,
    summary_model: str | None,
    answers: Path | None,
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
    texts = read_object(wording) if wording else None
    for oddity in oddities(case):
        say(oddity)
    writing = output is not None or not check
    with ProgressLine() as progress:
        replaying = _replaying(case, case_file.case, texts, summarizer, progress)
        if summarizer == "openai":
            ran = ask(replaying, summary_model, case.timeout, answers)
        else:
            ran = run(replaying())
        figures = _figures(ran, progress) if insights and writing else None
        report = make_report(ran, figures)
    if writing:
        write_document(report.model_dump(mode="json", exclude_none=True), output)
    if not check:
        return DONE
    found = differences(case_file.expected or {}, report)
    for line in found:
        click.echo(cell(line), err=output is None)
    say(f"{len(found)} differences" if found else "as expected")
    return FOUND if found else DONE


def _replaying(
    case: Case,
    base: Case,
    wording: dict[str, Any] | None,
    summarizer: SummarizerName | None,
    progress: ProgressLine,
) -> Callable[..., Coroutine[Any, Any, Run]]:
    """Return what replays a case, with a model that writes summaries or without one."""

    async def replaying(model: KeptSummarizer | None = None) -> Run:
        counted = count(1)
        return await run_replay(
            case,
            base=base,
            wording=wording,
            summarizer=summarizer,
            model=model,
            on_step=lambda _step: progress.show(f"{next(counted)} steps replayed"),
            cancelled=lambda: model is not None and model.failure is not None,
        )

    return replaying


def _figures(ran: Run, progress: ProgressLine) -> Figures:
    """Return cost and retention of a run."""
    looks = count(1)

    def look() -> None:
        share = 50 * next(looks) // len(ran.steps)  # each step is passed twice
        progress.show(f"judging cost and retention, {share} %")

    judged = Insights().judge(ran, pause=look)
    if any(line.price.lacking for line in judged.cost.lines if line.processor is None):
        say(f"net cost at the prices of {judged.cost.priced_as}")
    return judged.figures
