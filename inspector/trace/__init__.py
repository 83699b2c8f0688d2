"""From records to what happened: steps, decisions with their gates, windows, fates of messages.

`opened.open_traces` is the way in: paths go in, one `recording.Recording` per context comes out,
which is a `context_trace.ContextTrace` like the one a replay makes; `live.follow` hands out new
ones while the files grow. Four groups of modules:

- what there is of each context: `gathering` with `records`, `copies`, `folders`, `archives`,
  `markers`; `switches` says what was never written;
- what was decided: `steps` finds the window requests, `attempts` follows each compressor,
  `verdicts` says how an attempt ended, `give_ups` and `listings` weigh what the files leave open;
  `offloads` and `session_memory` do the same for the other processors; `correlation` puts all
  `rows` into columns, `prefix_decisions` and its like make decisions of them, `gates` names the
  tests;
- what is shown of one decision, read when it is asked for: `context_detail` with `detail_reader`,
  `context_files`, `compression`, `windows`, `fates`, `spans_view`, `summary`, `stored` and
  `alignment`, all counting by `formulas`;
- the structs that everything above reads: `decision`, `detail`, `context_trace`, `overview`.

What is recorded and what is concluded are kept apart in every value. Judging whether something was
good belongs in `inspector.insight`. A processor that records something new gets one package like
`offloads`, called by `correlation`.
"""
