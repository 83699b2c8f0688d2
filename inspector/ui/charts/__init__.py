"""Charts of a whole session, on pyqtgraph.

Import `timeline` and `replay_chart`, the charts, only after the first paint: pyqtgraph is slow to
load. Both are a `step_plot`, made of what can be drawn over steps: a `step_curve`, `markers`,
`limit_lines`, `step_axes`; a new thing to draw is one file. What is drawn of a trace
(`timeline_data`) and the mapping between steps and pixels (`step_scale`) are plain structs, so that
they can be tested without a widget.
"""
