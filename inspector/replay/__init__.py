"""Replay: a conversation through the engine again, with its own settings or with edited ones.

The packages, each of which knows only those above it:

- `cases`: what is replayed, a conversation with settings; `recovery` makes one of a recording;
- `settings`: edits of a case's settings, as a form and as text, and what is taken home of them;
- `runs`: the replay itself, from the start or behind what a run before has done;
- `reports`: a run on disk and as a trace, as a recording is one;
- `summaries`: what models answered, what it costs to ask them, their keys;
- `comparisons`: the metrics of traces, cost and retention among them, and two traces side by side;
- `sweeps`: many runs at once, and the study of masking against summary.

Three modules put them together: `session` is a case on the bench, with its baseline and candidates;
`project` keeps a case with its runs in a file; `detect` tells the files of a replay from others.

Nothing here paints, and nothing recorded is ever changed. A new job is a module in the package of
what it yields; what judges messages and tokens without a run belongs in `inspector.insight`.
"""
