"""`replay`: the engine over a conversation."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Unpack
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
from inspector.commands.exit_codes import DONE, FOUND
from inspector.commands.inputs import read_object
from inspector.commands.options import SettingOptions, settings_of, settings_options
from inspector.commands.printing import ProgressLine, write_document
from inspector.replay.case import load_case
from inspector.replay.expectation import differences
from inspector.replay.insights import Insights
from inspector.replay.report import make_report
from inspector.replay.runner import SummarizerName
from inspector.replay.runner import replay as run_replay


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
    texts = read_object(wording) if wording else None
    model = _online_model(summary_model, case.timeout) if summarizer == "openai" else None
    writing = output is not None or not check
    with ProgressLine() as progress:
        counted = count(1)
        running = run_replay(
            case,
            base=case_file.case,
            wording=texts,
            summarizer=summarizer,
            model=model,
            on_step=lambda _step: progress.show(f"{next(counted)} steps replayed"),
        )
        ran = asyncio.run(running)
        progress.show("judging cost and retention")
        report = make_report(ran, Insights().measures(ran) if insights and writing else None)
    if writing:
        write_document(report.model_dump(mode="json", exclude_none=True), output)
    if not check:
        return DONE
    found = differences(case_file.expected or {}, report)
    for line in found:
        click.echo(line, err=output is None)
    click.echo(f"{len(found)} differences" if found else "as expected", err=True)
    return FOUND if found else DONE


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
