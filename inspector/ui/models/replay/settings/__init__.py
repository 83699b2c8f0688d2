"""What is set on the bench, and what follows from it without a replay.

Nothing here runs the engine or knows a table.
"""
