"""From records to what happened: steps, decisions with their gates, windows, fates of messages.

`opened.open_traces` is the way in: paths go in, one `recording.Recording` per context comes out,
which is a `context_trace.ContextTrace` like the one a replay makes. `records` groups the rows of
all files by context, `steps` finds the window requests, `attempts` follows each compressor,
`give_ups` weighs what the files leave open, `gates` names the tests. Whole windows (`windows`,
`spans_view`, `summary`, `alignment`) are built for the selected decision only.

What is recorded and what is concluded are kept apart in every value. Judging whether something was
good belongs in `inspector.insight`. A processor that records something new gets one module beside
`attempts`, called by `recording`.
"""
