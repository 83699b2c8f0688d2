"""The window: everything that needs Qt, and nothing else.

`app` starts it where `display` finds a screen, `main_window` holds the perspectives, `actions`
lists what can be done and with which key, `theme` owns colours and fonts, `shapes` what marks look
like, `formats` how numbers, times and foreign text are written, `shots` takes pictures of it all.
Inside, the folders are layers as well: `tasks` (threads) < `models` (what is shown, no widgets) <
`charts` and `widgets` (how it is painted) < `panels` (one part of the window each) < `main_window`.

Nothing here parses a file, decides what a record means or runs the engine: that is asked of
`inspector.trace` and `inspector.replay`, off the UI thread. Text from files is shown, never
interpreted.
"""
