"""The state of the Replay perspective and its tables.

`setup` is what the user has set, `bench` runs it and holds the candidate, `judge` adds cost and
retention, `runs` keeps what was run before; the rest are the tables that show them.
"""
