"""The command prints each goal with its verdict; how fast this machine is does not matter."""

from __future__ import annotations

from click.testing import CliRunner

from inspector.bench.goal import Goal
from inspector.bench.run import GROUPS, told
from inspector.cli import commands


def test_a_group_is_measured_and_told() -> None:
    result = CliRunner().invoke(commands, ["bench", "--size", "small", "--group", "texts"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = result.output.splitlines()
    assert len(lines) == 2
    assert all(line.split()[0] in ("met", "MISSED", "not") for line in lines)


def test_an_unknown_group_is_refused_with_the_known_ones() -> None:
    result = CliRunner().invoke(commands, ["bench", "--group", "x"], standalone_mode=True)
    assert result.exit_code == 2
    assert all(group in result.output for group in GROUPS)


def test_a_goal_tells_both_sides_and_the_verdict() -> None:
    assert told(Goal("a / b", 0.5, 0.7, "1 ms against 2 ms")).startswith("met")
    assert told(Goal("a / b", 0.5, 0.7, "", at_least=True)).startswith("MISSED")
    assert told(Goal("a / b", None, 0.7, "no peer")).startswith("not measured")


def test_a_goal_that_is_missed_says_why_and_what_is_next() -> None:
    reason = "the peer does less; next: do less"
    assert told(Goal("a / b", 0.9, 0.7, "", reason=reason)).endswith(reason)
    assert reason not in told(Goal("a / b", 0.5, 0.7, "", reason=reason))
    assert reason in told(Goal("a / b", None, 0.7, "", reason=reason))
