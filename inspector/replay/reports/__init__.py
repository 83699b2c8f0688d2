"""Reports: what is told of a run, on disk and as a trace.

`report` is the document and `expectation` compares it with what is known to come of its case.
`report_trace` reads one as a trace, with `decisions` for what its records say; `run_trace` does so
for a run in memory, which also knows the windows in between. `given` are the windows before the
chain acted.

A report says what happened; what it is worth is judged in `inspector.replay.comparisons`. A new
figure goes into `report`, and whatever reads it out of one into `report_trace`.
"""
