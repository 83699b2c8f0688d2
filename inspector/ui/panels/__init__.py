"""The parts of the window that a user would name, one file each.

A perspective beside `inspect` is registered in `main_window.OTHER_PERSPECTIVES`, a tab of the
detail area in `detail.TABS`. Panels subscribe to the one `Selection` and ask the worker for what
takes time; they parse nothing.
"""
