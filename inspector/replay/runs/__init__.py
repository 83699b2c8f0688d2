"""Runs: a case through the engine.

`runner` replays it and `run` is what is left of that, step by step; `restart` finds what a replay
with other settings may take over from a run before. `workspace` and `notes` stand in for what an
agent has around it, `branch` makes the changes that a case's turns ask for.

Nothing here is written to disk or judged: see `inspector.replay.reports` and
`inspector.replay.comparisons`. Another piece of an agent's surroundings is a module here that the
runner puts in place.
"""
