"""The counter that encodes: tiktoken with vocabularies that ship with the program.

Nothing is ever fetched. Each vocabulary is unpacked and checked against its digest when it is first
needed. tiktoken aborts on runs of a million spaces, with an exception that is no `Exception`; no
run of white space longer than 64 Ki characters is therefore given to it at once.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal

from engine.messages import AssistantMessage, Message, ToolInfo
from engine.resources import resource_path
from engine.tokens.counters import FramedCounter, framed, framed_tool
from engine.tokens.images import image_tokens, is_image
from engine.tokens.text import sanitised, sanitised_text

if TYPE_CHECKING:
    from tiktoken import Encoding

Vocabulary = Literal["cl100k_base", "o200k_base"]

_FOLDER = "tokenizers"
_LONGEST_RUN = re.compile(r"\s{65536}")


class TiktokenCounter(FramedCounter):
    """Counts the tokens of a vocabulary, roles and markers included."""

    def __init__(self, vocabulary: Vocabulary = "cl100k_base") -> None:
        """Count by this vocabulary; it is loaded at the first count."""
        self.vocabulary = vocabulary
        self.name = "tiktoken" if vocabulary == "cl100k_base" else "tiktoken_o200k"

    def count(self, text: str) -> int:
        """Return the tokens of a text; a third of its length if UTF-8 cannot carry it."""
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                return len(text) // 3
        encoding = load_vocabulary(self.vocabulary)
        return sum(len(encoding.encode_ordinary(part)) for part in _parts(text))

    def measure(self, message: Message) -> int:
        """Return what one message adds to a list: text, images, and tool calls as JSON."""
        tokens = self._content_tokens(message)
        if isinstance(message, AssistantMessage) and message.tool_calls:
            calls = [call.to_chat() for call in message.tool_calls]
            tokens += self.count(json.dumps(calls, ensure_ascii=False))
        return tokens

    def _content_tokens(self, message: Message) -> int:
        """Return the tokens of a message's text in its frame, its images and its other parts."""
        if isinstance(message.content, str):
            return self.count(framed(message.role, sanitised_text(message.content)))
        texts: list[str] = []
        others = 0
        for part in message.content:
            if isinstance(part, str):
                texts.append(part)
            elif is_image(part):
                others += image_tokens(part)
            elif part.get("type") == "text" or "text" in part:
                texts.append(str(part.get("text") or ""))
            else:
                clean = json.dumps(sanitised(part), ensure_ascii=False, separators=(",", ":"))
                others += self.count(clean)
        return self.count(framed(message.role, "\n".join(texts))) + others

    def measure_tool(self, tool: ToolInfo, position: int) -> int:
        """Return the tokens of a tool in its frame."""
        return self.count(framed_tool(tool, position))


@cache
def load_vocabulary(name: Vocabulary) -> Encoding:
    """Return tiktoken's encoding of a vocabulary that lies among the program's files.

    Raises:
        FileNotFoundError: it is missing.
        ValueError: it is damaged.
    """
    from tiktoken import Encoding  # costs a tenth of a second, and not every program counts so

    folder = resource_path(_FOLDER)
    known = json.loads((folder / "vocabularies.json").read_text(encoding="utf-8"))[name]
    path = folder / known["file"]
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}): install Context Inspector again") from error
    if hashlib.sha256(data).hexdigest() != known["sha256"]:
        raise ValueError(f"{path} holds something else: install Context Inspector again")
    ranks = {}
    for line in data.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return Encoding(name, pat_str=known["pattern"], mergeable_ranks=ranks, special_tokens={})


def _parts(text: str) -> Iterator[str]:
    """Yield the text in parts without a long run of white space; nearly always as it is."""
    start = 0
    for run in _LONGEST_RUN.finditer(text):
        yield text[start : run.end()]
        start = run.end()
    yield text[start:]
