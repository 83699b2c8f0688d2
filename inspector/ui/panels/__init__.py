"""The parts of the window that a user would name, one file each, a folder for each perspective.

`inspect` and `replay` hold a perspective with its panels, `detail` the tabs of a decision; what
the panels of both share are `perspective`, `chart` and `keys`. Another perspective is registered in
`main_window.OTHER_PERSPECTIVES`. Panels subscribe to the one `Selection` and ask the worker for
what takes time; they parse nothing.
"""
