"""Capacities of models that the program does not know, asked of OpenRouter (`engine.md` §3.6).

Nothing is asked unless the engine's settings say so. Nobody waits for the answer: it is fetched on
a thread of its own and serves whoever asks later, for an hour.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

_LOG = logging.getLogger(__name__)

MODELS_URL = "https://openrouter.ai/api/v1/models"
FRESH_SECONDS = 3600.0
"""How long an answer counts."""

RETRY_SECONDS = 60.0
"""How long nobody asks again after a failure."""

LARGEST_ANSWER = 32 * 1024 * 1024
"""Bytes beyond which an answer is not read."""


class OnlineWindows:
    """What the network says of models; safe to use from several threads."""

    def __init__(self, url: str = MODELS_URL, clock: Callable[[], float] = time.monotonic) -> None:
        """Ask this address; `clock` gives seconds."""
        self._url = url
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._windows: Mapping[str, int] = {}
        self._fetched: float | None = None
        self._next: float = 0.0

    def known(self, timeout: float) -> Mapping[str, int]:
        """Return capacities in tokens by model name, and see to it that they are fresh next time.

        Args:
            timeout: seconds that the look-up may take, which runs on beside the caller.
        """
        now = self._clock()
        with self._lock:
            stale = self._fetched is None or now - self._fetched >= FRESH_SECONDS
            if stale and now >= self._next and not (self._thread and self._thread.is_alive()):
                self._next = now + RETRY_SECONDS
                self._thread = threading.Thread(
                    target=self._fetch, args=(timeout,), name="online-windows", daemon=True
                )
                self._thread.start()
            return {} if stale else self._windows

    def wait(self, seconds: float) -> None:
        """Wait for a running look-up, at most so many seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _fetch(self, timeout: float) -> None:
        try:
            windows = _windows(json.loads(self._read(timeout)))
        except Exception as error:  # whatever the network does, the program goes on without it
            _LOG.info("capacities of models are not known from %s: %s", self._url, error)
            return
        with self._lock:
            self._windows = windows
            self._fetched = self._clock()

    def _read(self, timeout: float) -> bytes:
        """Return the answer.

        Raises:
            OSError: the connection fails, or the answer takes too long or is too long.
        """
        deadline = time.monotonic() + timeout
        parts: list[bytes] = []
        size = 0
        with urllib.request.urlopen(self._url, timeout=timeout) as answer:
            while part := answer.read1(65536):
                parts.append(part)
                size += len(part)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no whole answer within {timeout} seconds")
                if size > LARGEST_ANSWER:
                    raise OSError(f"more than {LARGEST_ANSWER} bytes")
        return b"".join(parts)


def _windows(answer: Any) -> dict[str, int]:
    """Return capacities by id, and by what follows the first `/` where that is unambiguous."""
    models = answer.get("data") if isinstance(answer, dict) else None
    found: dict[str, int] = {}
    for model in models if isinstance(models, list) else ():
        if isinstance(model, dict):
            name, tokens = model.get("id"), model.get("context_length")
            if isinstance(name, str) and isinstance(tokens, int) and tokens > 0:
                found[name] = tokens
    bare = {name: name.partition("/")[2] for name in found}
    times = Counter(bare.values())
    short = {bare[name]: tokens for name, tokens in found.items() if times[bare[name]] == 1}
    return {**{name: tokens for name, tokens in short.items() if name}, **found}


ONLINE_WINDOWS = OnlineWindows()
"""What the whole program knows."""
