"""The look-up of capacities on the network, over real HTTP."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engine.config import ContextEngineConfig
from engine.context_engine import ContextEngine
from engine.tokens.online_windows import FRESH_SECONDS, RETRY_SECONDS, OnlineWindows
from tests.patience import PATIENCE

MODELS = {
    "data": [
        {"id": "maker/fresh-model", "context_length": 4321},
        {"id": "one/twin", "context_length": 1},
        {"id": "two/twin", "context_length": 2},
        {"id": "maker/broken", "context_length": None},
        {"id": "plain", "context_length": 77},
        "no model",
    ]
}


class Network:
    """A server that answers as it is told, and counts."""

    def __init__(self) -> None:
        self.status = 200
        self.body = json.dumps(MODELS).encode()
        self.slowly = 0.0
        self.asked = 0
        network = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                network.asked += 1
                self.send_response(network.status)
                self.send_header("Content-Length", str(len(network.body)))
                self.end_headers()
                for i in range(0, len(network.body), 64):
                    time.sleep(network.slowly)
                    try:
                        self.wfile.write(network.body[i : i + 64])
                    except OSError:
                        return

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/models"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network()
    yield made
    made.close()


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_first_to_ask_gets_nothing_and_the_next_one_everything(network: Network) -> None:
    windows = OnlineWindows(network.url)
    assert windows.known(PATIENCE) == {}
    windows.wait(PATIENCE)
    known = windows.known(PATIENCE)
    assert known["maker/fresh-model"] == known["fresh-model"] == 4321
    assert known["plain"] == 77
    assert (known["one/twin"], known["two/twin"]) == (1, 2)
    assert "twin" not in known, "two makers have one of that name"
    assert "maker/broken" not in known


def test_an_answer_counts_for_an_hour(network: Network) -> None:
    clock = Clock()
    windows = OnlineWindows(network.url, clock)
    windows.known(PATIENCE)
    windows.wait(PATIENCE)
    clock.seconds = FRESH_SECONDS - 1
    assert windows.known(PATIENCE)
    assert network.asked == 1
    clock.seconds = FRESH_SECONDS
    assert windows.known(PATIENCE) == {}
    windows.wait(PATIENCE)
    assert network.asked == 2
    assert windows.known(PATIENCE)


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"{}"), (200, b"no JSON"), (200, b"[]"), (200, b'{"data": 5}')],
)
def test_a_bad_answer_is_none(network: Network, status: int, body: bytes) -> None:
    network.status, network.body = status, body
    windows = OnlineWindows(network.url)
    windows.known(PATIENCE)
    windows.wait(PATIENCE)
    assert windows.known(PATIENCE) == {}


def test_after_a_failure_nobody_asks_for_a_while(network: Network) -> None:
    clock = Clock()
    network.status = 500
    windows = OnlineWindows(network.url, clock)
    for clock.seconds in (0.0, 1.0, RETRY_SECONDS - 1):
        windows.known(PATIENCE)
        windows.wait(PATIENCE)
    assert network.asked == 1
    network.status = 200
    clock.seconds = RETRY_SECONDS
    windows.known(PATIENCE)
    windows.wait(PATIENCE)
    assert windows.known(PATIENCE)


def test_a_slow_answer_is_given_up(network: Network) -> None:
    network.slowly = 0.2
    windows = OnlineWindows(network.url)
    assert windows.known(0.3) == {}
    windows.wait(PATIENCE)
    assert windows.known(0.3) == {}


def test_nobody_there_is_no_error() -> None:
    windows = OnlineWindows("http://127.0.0.1:9/models")
    windows.known(1)
    windows.wait(PATIENCE)
    assert windows.known(1) == {}


@pytest.mark.parametrize(
    ("allowed", "name", "capacity"),
    [
        (True, "fresh-model", (4321, "online")),
        (True, "Maker/Fresh-Model", (4321, "online")),
        (True, "gpt-4o", (128_000, "model table")),
        (True, "nobody", (200_000, "default")),
        (False, "fresh-model", (200_000, "default")),
    ],
)
def test_a_context_learns_its_capacity(
    network: Network, allowed: bool, name: str, capacity: tuple[int, str]
) -> None:
    windows = OnlineWindows(network.url)

    async def story() -> Any:
        config = ContextEngineConfig(
            model_name=name,
            enable_openrouter_model_context_window_tokens=allowed,
            openrouter_request_timeout=PATIENCE,
        )
        engine = ContextEngine(config, online_windows=windows)
        context = await engine.create_context()
        windows.wait(PATIENCE)
        await context.get_context_window()
        return context.capacity

    assert asyncio.run(story()) == capacity
    assert network.asked == allowed
