"""A candidate on its way: started, held, watched, and what came of it.

Work on the engine's thread is written here; what the user sets is not decided here.
"""
