"""Running a sweep from the terminal: progress, saving, interruption, what failed."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Final

from inspector.commands.exit_codes import DONE, PROGRAM, UNUSABLE
from inspector.commands.printing import ProgressLine, say
from inspector.replay.sweeps.cluster import ClusterWorkers
from inspector.replay.sweeps.sweep import Progress, Sweep, SweepResult, save_sweep
from inspector.replay.sweeps.workers import LocalWorkers

_SAVE_SECONDS: Final = 5.0
"""How often a running sweep is saved."""


def run_sweep(swept: Sweep, jobs: int | None, scheduler: str | None, output: Path | None) -> bool:
    """Run a sweep, saving what is done from time to time; return whether it came to its end.

    Args:
        swept: What to run.
        jobs: Processes on this machine; None for one each core.
        scheduler: Address of a Dask cluster to run on instead.
        output: Where the result is kept.
    """
    _tell_prices(swept)
    place = ClusterWorkers(swept.cases, scheduler) if scheduler else LocalWorkers(swept.cases, jobs)
    saved = monotonic()
    try:
        with ProgressLine() as progress, place as workers:
            for state in swept.run(workers):
                progress.show(_how_far(state))
                if output is not None and monotonic() - saved > _SAVE_SECONDS:
                    save_sweep(swept.result(), output)
                    saved = monotonic()
    except KeyboardInterrupt:
        return False
    finally:
        if output is not None:
            save_sweep(swept.result(), output)
    return True


def told(result: SweepResult) -> int:
    """Say what failed, and return the exit code."""
    if result.failed:
        first = result.failed[0]
        named = ", ".join(f"{name}={value}" for name, value in first.settings.items())
        say(
            f"{PROGRAM}: {len(result.failed)} of {len(result.failed) + len(result.rows)} "
            f"combinations failed, the first in {first.case} with {named or 'its own settings'}: "
            f"{first.reason}"
        )
    return UNUSABLE if result.failed and not result.rows else DONE


def _tell_prices(swept: Sweep) -> None:
    """Say for which models the price table has no prices of their own."""
    varied = [axis.values for axis in swept.grid.axes if axis.name == "engine.model_name"]
    lacking: dict[str, str] = {}
    for each in swept.cases:
        for name in varied[0] if varied else [each.case.engine_config().model_name]:
            price = each.prices.price(name if isinstance(name, str) else None)
            if price.lacking is not None:
                lacking[price.lacking] = price.model
    for name, model in lacking.items():
        say(f"net cost at the prices of {model}, as the table lacks {name}")


def _how_far(state: Progress) -> str:
    left = state.seconds_left
    time_left = "" if left is None else f", {left / 60:.0f} min {left % 60:.0f} s left"
    return f"{state.done} of {state.total} rows{time_left}"
