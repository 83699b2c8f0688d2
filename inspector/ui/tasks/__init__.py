"""Work off the UI thread: a queue with one thread, and the coalescer that brings results back.

The work itself is a plain function from a layer below; it is only carried here. No widgets, no
QtGui. A new kind of work needs no file here: hand its function to a `Worker`.
"""
