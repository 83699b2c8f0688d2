"""From records to what happened: steps, decisions with their gates, windows, fates of messages.

`opened.open_traces` is the way in: paths go in, one `recording.Recording` per context comes out,
which is a `context_trace.ContextTrace` like the one a replay makes. Three groups of modules:

- what was decided: `records` groups the rows of all files by context, `steps` finds the window
  requests, `attempts` follows each compressor, `verdicts` says how an attempt ended, `give_ups` and
  `listings` weigh what the files leave open, `gates` names the tests, `correlation` puts it all
  into columns;
- what is shown of one decision, read when it is asked for: `detail_reader` with `context_files`,
  `compression`, `windows`, `fates`, `spans_view`, `summary`, `alignment`;
- the structs that everything above reads: `decision`, `detail`, `context_trace`, `overview`.

What is recorded and what is concluded are kept apart in every value. Judging whether something was
good belongs in `inspector.insight`. A processor that records something new gets one module beside
`attempts`, called by `correlation`.
"""
