"""The state of the Replay perspective and its tables.

`bench` holds the case, what is set (`settings`) and the candidate (`running`); `judge` adds cost
and retention, `runs` keeps what was run before, `sweep` runs many. `tables` show them; a further
table goes there.
"""
