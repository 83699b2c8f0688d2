"""Charts of a whole session, on pyqtgraph.

Import `timeline` and `replay_chart`, the charts, only after the first paint: pyqtgraph is slow to
load. Both are a `step_plot`, made of what can be drawn over steps, each a `step_item`:
`step_curve`, `markers`, `limit_lines`; a new thing to draw is one file. Beside them stand the
`step_axes` and the `limit_names`. What is drawn of a trace (`timeline_data`) and the mapping
between steps and pixels (`step_scale`) are plain structs, so that they can be tested without a
widget.
"""
