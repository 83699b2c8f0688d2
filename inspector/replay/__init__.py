"""Replay: a conversation through the engine again, with its own settings or with edited ones.

`case` is what can be replayed, `export` makes one from a recording, `settings` edits one, `runner`
runs it, `report` is the result on disk, `report_trace` the result as a trace, and `comparison` sets
two traces side by side. Nothing here paints, and nothing recorded is ever changed.
"""
