"""From records to what happened: steps, decisions with their gates, windows, fates of messages.

`opened.open_traces` is the way in: paths go in, one `recording.Recording` per context comes out,
which is a `context_trace.ContextTrace` like the one a replay makes; `live.follow` hands out new
ones while the files grow. `overview` sums a context up, `switches` says what was never written. The
structs that everything above reads are `decision`, `detail` and `context_trace`.

On the way from paths to traces, `gathering` collects what there is of each context and
`correlation` puts all decisions into columns (`decision_columns`); `context_detail` reads what is
shown of one of them when it is asked for. The rooms:

- `evidence`: the records of a context and what lies beside them;
- `windows`: the messages of a window, counted, compared and shown;
- `compressions`, `offloads`, `session_memory`: what one family of processors did. Each tells a
  story per decision, which goes into the columns as a row of `rows` and becomes a decision at its
  `place`. `stated` and `folding` tell the few stories that belong to none of them.

What is recorded and what is concluded are kept apart in every value. Judging whether something was
good belongs in `inspector.insight`. A family of processors that records something new gets a room
like `offloads`, called by `correlation`.
"""
