"""The Replay perspective: chain editor, chart, runs, comparison, windows, sweep, taking it home.

`perspective` arranges the panels and connects them to the one `ReplayBench`; a further view of the
candidate is one file, added to the tabs there.
"""
