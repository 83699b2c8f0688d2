"""Comparisons: what a run is worth, and two of them side by side.

`insights` turns a run into the requests and windows that `inspector.insight` judges; `metrics` are
all figures of a trace, a recorded one or a replayed one. `alignment` finds which decision of one
trace is which of the other, and `comparison` puts all of that together.

A new figure is named in `metrics` or `insights` and shows up in window, command line and sweep. How
cost or retention come about belongs in `inspector.insight`.
"""
