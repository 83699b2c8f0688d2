"""How fast it is: the goals of the project as ratios, both sides measured in one run.

A ratio says the same on a slow machine and on a fast one; a time does not, so no test is timed.
Each module measures one group of goals: a function `goals` that yields a `Goal` as soon as it is
measured. A new group is one module, registered in `run.GROUPS`; what several of them need stands in
`goal`, `generators`, `largest_session` and `screen`.
"""
