"""A server on 127.0.0.1 that answers chat requests by a script, faults of the connection included.

A script is a list of replies, one a request; the last is repeated. A reply is a function that gets
the request's handler and writes what it wants.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["_Handler"], None]


class ModelServer(ThreadingHTTPServer):
    """The server, and what was asked of it."""

    daemon_threads = True

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        """Bodies of the requests."""
        self.keys: list[str] = []
        """Values of their header `Authorization`."""
        self.asked = threading.Event()
        self.closing = threading.Event()
        self._replies = list(replies)

    @property
    def url(self) -> str:
        """The endpoint, as a client wants it."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def next_reply(self) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        """Note the request and play the next reply."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/chat/completions"
        self.server.requests.append(json.loads(body))
        self.server.keys.append(self.headers["Authorization"])
        self.server.asked.set()
        self.server.next_reply()(self)

    def send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        """Send a whole answer."""
        self.head(status, kind, len(body))
        self.wfile.write(body)

    def head(self, status: int, kind: str, length: int) -> None:
        """Send what comes before the body."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@contextmanager
def serving(*replies: Reply) -> Iterator[ModelServer]:
    """Run a server for the length of the block."""
    with ModelServer(replies) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


def answering(content: str | None, **fields: Any) -> Reply:
    """Return a reply with one choice; `usage` and `tool_calls` go where they belong."""
    usage = fields.pop("usage", None)
    message = {"role": "assistant", "content": content, **fields}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return sending({"id": "1", "model": "small-1", "choices": [choice], "usage": usage})


def sending(document: Any, status: int = 200) -> Reply:
    """Return a reply with a JSON document."""
    return lambda handler: handler.send(status, json.dumps(document).encode())


def failing(status: int, message: str = "No.", **details: str) -> Reply:
    """Return an error as the API reports it; `type` and `code` are details."""
    return sending({"error": {"message": message, **details}}, status)


def talking(body: bytes, kind: str = "application/json") -> Reply:
    """Return a reply with a body that is no chat completion."""
    return lambda handler: handler.send(200, body, kind)


def dropped(handler: _Handler) -> None:
    """Close the connection without an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def halved(handler: _Handler) -> None:
    """Close the connection in the middle of the body."""
    handler.head(200, "application/json", 1000)
    handler.wfile.write(b'{"choices": [')
    dropped(handler)


def silent(handler: _Handler) -> None:
    """Take the request and say nothing."""
    handler.server.closing.wait()


def dripping(handler: _Handler) -> None:
    """Send the body byte by byte, each in good time, without an end."""
    handler.head(200, "application/json", 1_000_000)
    while not handler.server.closing.wait(0.02):
        handler.wfile.write(b" ")
