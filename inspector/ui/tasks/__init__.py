"""Work off the UI thread, and the coalescer that brings results back.

The work itself comes from a layer below; it is only carried here. No widgets, no QtGui. A new kind
of work needs no file here: hand a function to a `Worker`, a coroutine to the `EngineHost`.
"""
