"""Charts of a whole session, on pyqtgraph.

Import `timeline` only after the first paint: pyqtgraph is slow to load.

The mapping between steps and pixels is a plain struct (`step_scale`), so that it can be tested
without a widget. A new chart is one file.
"""
