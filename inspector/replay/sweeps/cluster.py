"""Who runs the jobs of a sweep elsewhere: an existing Dask cluster.

Its workers need this program installed, in the same version. A case is handed over as a task of its
own, not as data, so the scheduler can hand it over again when the worker that held it is lost; jobs
of a lost worker run again on another one. Dask is imported only here: `context-inspector[cluster]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final, Self

from inspector import __version__
from inspector.replay.cases.case import CaseError
from inspector.replay.sweeps.grid import Combination
from inspector.replay.sweeps.job import Answer, SweptCase, run_job

CONNECT_SECONDS: Final = 10
"""How long to wait for a scheduler."""

_RETRIES: Final = 3
"""How often a job may fail through its worker before it is given up."""


class ClusterWorkers:
    """The workers of a Dask scheduler."""

    def __init__(self, cases: Sequence[SweptCase], address: str) -> None:
        """Connect to a scheduler and hand over the cases.

        Args:
            cases: what is swept.
            address: the scheduler's, such as `tcp://10.0.0.5:8786`.

        Raises:
            CaseError: Dask is not installed, nobody answers, or the workers lack this program.
        """
        self._client = _connected(address)
        self._executor = self._client.get_executor(pure=False, retries=_RETRIES)
        try:
            self._check_versions(address)
            self._cases = [
                self._client.submit(_handed, case, key=f"case-{case.digest}-{at}")
                for at, case in enumerate(cases)
            ]
        except BaseException:
            self._client.close()
            raise

    @property
    def slots(self) -> int:
        """Four jobs for each thread, for the way to the workers is long."""
        threads: dict[str, int] = self._client.nthreads()
        return 4 * max(sum(threads.values()), 1)

    def submit(self, case: int, edits: Combination) -> Future[Answer]:
        """Start a job."""
        future: Future[Answer] = self._executor.submit(run_job, self._cases[case], edits)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        """Let the cluster forget what is left; rows that are being computed end unread."""
        self._executor.shutdown(wait=False)
        self._client.close()

    def _check_versions(self, address: str) -> None:
        try:
            versions: dict[str, Any] = self._client.run(_version)
        except Exception as error:
            raise CaseError(
                f"{address}: its workers cannot run sweeps ({error}): "
                f"install context-inspector {__version__} where they run"
            ) from error
        if not versions:
            raise CaseError(f"{address}: the scheduler has no workers")
        others = sorted({version for version in versions.values() if version != __version__})
        if others:
            raise CaseError(
                f"{address}: its workers have context-inspector {', '.join(others)}, "
                f"this is {__version__}: install the same version"
            )


def _connected(address: str) -> Any:
    try:
        import distributed
    except ImportError as error:
        raise CaseError(
            "--scheduler needs Dask: pip install 'context-inspector[cluster]'"
        ) from error
    try:
        client: Any = distributed.Client  # most of Dask has no types
        return client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise CaseError(f"{address}: no Dask scheduler answers there ({error})") from error


def _handed(case: SweptCase) -> SweptCase:
    return case


def _version() -> str:
    return __version__
