"""Damage of every kind, done to recorded trees; whatever happens, the reader keeps what is intact.

Each mutation follows from its number alone, so one that fails can be done again by itself:

    python -m tests.fuzz.mutations --count 100000
    python -m tests.fuzz.mutations --first 4711 --count 1
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspector.sources.scan import Head, Source
from inspector.trace.evidence.markers import find_markers
from inspector.trace.opened import Opened, open_traces

PROJECT = Path(__file__).parents[2]
SLOW = 20.0
"""Seconds after which reading a small tree counts as hanging."""
_TOLD, _SHOWN = 40, 3
"""Rows of each context that are told, and of those the ones whose details are read."""

HOSTILE = (
    b"\x00" * 64,
    b"\xff\xfe\x80",
    b'"\\ud800"',
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"9" * 400,
    b"[" * 3000,
    b'{"a":' * 3000,
    b"<script>alert(1)</script><b>",
    b"\x1b[31m\x07\x08\r",
    "\u2028\u202e\ufeff".encode(),
    b'{"event": "message_offloaded", "session_id": "../../x", "context_id": "..", '
    b'"tool_call_id": "c", "offload_handle": "h", "offload_path": "/etc/passwd"}\n',
    b'{"timestamp": 1.0, "event": "of_tomorrow", "processor": "New", "session_id": "s"}\n',
    b"[[OFFLOAD: handle=h, type=filesystem, path=/etc/passwd]]",
    b"\n",
    b'{"timestamp": ',
)


@dataclass
class Tree:
    """A recorded tree: what its files hold, and a copy on disk to be damaged."""

    name: str
    files: dict[str, bytes]
    folder: Path
    lines: frozenset[bytes] = frozenset()
    """Every sound line of a log."""
    heads: dict[str, Head | None] = field(default_factory=dict)
    """What is known of each document while it is sound."""


@dataclass
class Damaged:
    """A tree in the course of a mutation."""

    rng: random.Random
    files: dict[str, bytes]
    told: list[str] = field(default_factory=list)

    def pick(self, suffixes: tuple[str, ...] = (".jsonl", ".json", ".md")) -> str | None:
        """Return one of the files with these endings."""
        names = [name for name in self.files if name.endswith(suffixes)]
        return self.rng.choice(names) if names else None

    def change(self, name: str, what: str, content: bytes) -> None:
        """Give a file another content."""
        self.files[name] = content
        self.told.append(f"{what} {name}")


def flip_bits(tree: Damaged) -> None:
    """Turn over some bits of a file."""
    name = tree.pick()
    if name is None or not tree.files[name]:
        return
    content = bytearray(tree.files[name])
    for _ in range(tree.rng.choice((1, 1, 3, 20))):
        content[tree.rng.randrange(len(content))] ^= 1 << tree.rng.randrange(8)
    tree.change(name, "flip", bytes(content))


def cut(tree: Damaged) -> None:
    """Leave the beginning of a file."""
    name = tree.pick()
    if name is not None:
        content = tree.files[name]
        tree.change(name, "cut", content[: tree.rng.randrange(len(content) + 1)])


def delete_bytes(tree: Damaged) -> None:
    """Take some bytes out of a file."""
    name = tree.pick()
    if name is not None:
        content = tree.files[name]
        at, count = tree.rng.randrange(len(content) + 1), tree.rng.choice((1, 10, 500, 3000))
        tree.change(name, "delete in", content[:at] + content[at + count :])


def insert_noise(tree: Damaged) -> None:
    """Put random bytes into a file."""
    _insert(tree, tree.rng.randbytes(tree.rng.choice((1, 10, 500))), "noise in")


def insert_hostile(tree: Damaged) -> None:
    """Put something into a file that is meant to do harm."""
    _insert(tree, tree.rng.choice(HOSTILE), "hostile in")


def _insert(tree: Damaged, what: bytes, told: str) -> None:
    name = tree.pick()
    if name is not None:
        content = tree.files[name]
        at = tree.rng.randrange(len(content) + 1)
        if tree.rng.random() < 0.3:  # between two lines
            at = content.rfind(b"\n", 0, at) + 1
        tree.change(name, told, content[:at] + what + content[at:])


def move_lines(tree: Damaged) -> None:
    """Drop, repeat or exchange lines of a log."""
    name = tree.pick((".jsonl",))
    if name is None:
        return
    lines = tree.files[name].split(b"\n")
    at, other = tree.rng.randrange(len(lines)), tree.rng.randrange(len(lines))
    what = tree.rng.choice(("drop", "repeat", "exchange", "join"))
    if what == "drop":
        del lines[at : at + tree.rng.choice((1, 2, 5))]
    elif what == "repeat":
        lines.insert(other, lines[at])
    elif what == "exchange":
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at : at + 2] = [b"".join(lines[at : at + 2])]
    tree.change(name, what, b"\n".join(lines))


def glue(tree: Damaged) -> None:
    """Put the content of one file behind that of another."""
    name, other = tree.pick((".jsonl", ".json")), tree.pick((".jsonl", ".json"))
    if name is not None and other is not None:
        tree.change(name, f"glue {other} to", tree.files[name] + tree.files[other])


def copy_file(tree: Damaged) -> None:
    """Put a copy beside a file, or in another folder."""
    name = tree.pick()
    if name is not None:
        folder = tree.rng.choice((Path(name).parent, Path("copies"), Path("a_context/offload")))
        tree.change(str(folder / f"copy_{Path(name).name}"), "copy", tree.files[name])


def drop_file(tree: Damaged) -> None:
    """Leave a file away, or leave nothing in it."""
    name = tree.pick()
    if name is None:
        return
    if tree.rng.random() < 0.5:
        tree.change(name, "empty", b"")
    else:
        del tree.files[name]
        tree.told.append(f"drop {name}")


MUTATIONS: tuple[Callable[[Damaged], None], ...] = (
    flip_bits,
    cut,
    delete_bytes,
    insert_noise,
    insert_hostile,
    move_lines,
    glue,
    copy_file,
    drop_file,
)


def recorded_trees(folder: Path) -> list[Tree]:
    """Return the recorded trees that there are, each copied below a folder."""
    shared = PROJECT.parent / "shared" / "dumps"
    sources = {path.name: path / "workspace" for path in sorted(shared.glob("*"))}
    sources["sample"] = PROJECT / "resources" / "sample" / "workspace"
    return [_tree(name, path, folder / name) for name, path in sources.items() if path.is_dir()]


def _tree(name: str, source: Path, target: Path) -> Tree:
    paths = sorted(path for path in source.rglob("*") if path.is_file())
    tree = Tree(name, {str(p.relative_to(source)): p.read_bytes() for p in paths}, target)
    for path, content in tree.files.items():
        _write(target / path, content)
    opened = open_traces([target])
    tree.lines = frozenset(line for path, line in _lines(tree.files) if _is_record(line))
    tree.heads = {str(Path(s.path).relative_to(target)): s.head for s in opened.sources}
    return tree


def _lines(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, content in files.items():
        if path.endswith(".jsonl") and "compression_recall" not in path:
            yield from ((path, line) for line in content.split(b"\n"))


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def mutate(tree: Tree, number: int) -> Damaged:
    """Do the mutation of a number to a tree, in memory."""
    damaged = Damaged(random.Random(number), dict(tree.files))
    for _ in range(damaged.rng.choice((1, 1, 1, 2, 4))):
        damaged.rng.choice(MUTATIONS)(damaged)
    return damaged


def check(tree: Tree, damaged: Damaged) -> list[str]:
    """Read a damaged tree; return what went wrong."""
    changed = _put(tree, damaged)
    started = time.process_time()
    try:
        opened = open_traces([tree.folder])
        wrong = [*_lost(tree, damaged, opened), *_untellable(opened, damaged.rng)]
    except Exception:  # whatever it is, it is what is looked for
        wrong = [traceback.format_exc()]
    seconds = time.process_time() - started
    if seconds > SLOW:
        wrong.append(f"took {seconds:.0f} s")
    _put_back(tree, changed)
    return wrong


def _put(tree: Tree, damaged: Damaged) -> set[str]:
    names = tree.files.keys() | damaged.files.keys()
    changed = {name for name in names if tree.files.get(name) != damaged.files.get(name)}
    for name in changed:
        _write(tree.folder / name, damaged.files.get(name))
    return changed


def _put_back(tree: Tree, changed: set[str]) -> None:
    for name in changed:
        _write(tree.folder / name, tree.files.get(name))


def _write(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _lost(tree: Tree, damaged: Damaged, opened: Opened) -> Iterator[str]:
    """Yield the intact lines and documents that were not read."""
    sources = {str(Path(s.path).relative_to(tree.folder)): s for s in opened.sources}
    for name in damaged.files:
        if name not in sources:
            yield f"{name} is not listed"
    for name, content in damaged.files.items():
        if name in sources and name.endswith((".jsonl", ".json")):
            yield from _lost_lines(name, content, sources[name], tree.lines)
    for name, head in tree.heads.items():
        same = damaged.files.get(name) == tree.files.get(name)
        if same and name in sources and sources[name].head != head:
            yield f"{name} is told otherwise, though it is intact"


def _lost_lines(
    name: str, content: bytes, source: Source, known: frozenset[bytes]
) -> Iterator[str]:
    index = source.index
    read = set()
    if index is not None:
        columns = index.columns
        read = set(zip(columns.offset.view.tolist(), columns.length.view.tolist(), strict=True))
    offset = 0
    for line in content.split(b"\n"):
        if line in known and (offset, len(line)) not in read:
            yield f"{name}: the record at {offset} was lost"
        offset += len(line) + 1


def _untellable(opened: Opened, rng: random.Random) -> Iterator[str]:
    """Tell decisions and show some of them; yield what cannot be printed."""
    for trace in opened.traces:
        every = range(len(trace.decisions))
        rows = rng.sample(every, min(len(every), _TOLD))
        for row in rows:
            decision = trace.decision(row)
            try:
                json.dumps(decision.to_json(), allow_nan=False)
            except ValueError:
                yield f"row {row} of {trace.session_id} is no JSON"
            if decision.outcome != "undecided" and not decision.records and not decision.dump:
                yield f"{decision.outcome} rests on nothing"
        for row in rows[:_SHOWN]:
            for record in trace.detail(row).records:
                list(find_markers(record.text))


def run(numbers: Sequence[int], told: Callable[[str], object]) -> int:
    """Do the mutations of these numbers; return how many went wrong."""
    failed = 0
    folder = Path(tempfile.mkdtemp())
    try:
        trees = recorded_trees(folder)
        for number in numbers:
            tree = trees[random.Random(f"tree {number}").randrange(len(trees))]
            damaged = mutate(tree, number)
            wrong = check(tree, damaged)
            if wrong:
                failed += 1
                told(f"mutation {number} of {tree.name}: {'; '.join(damaged.told)}")
                for line in wrong[:5]:
                    told(f"    {line}")
    finally:
        shutil.rmtree(folder)
    return failed


def main() -> int:
    """Do mutations and say which went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation")
    parser.add_argument("--count", type=int, default=100_000)
    asked = parser.parse_args()
    numbers = range(asked.first, asked.first + asked.count)
    failed = run(numbers, lambda line: sys.stdout.write(f"{line}\n"))
    sys.stdout.write(f"{len(numbers)} mutations, {failed} went wrong\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
