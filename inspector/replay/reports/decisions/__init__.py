"""The decisions of a replay, as its report tells them: nothing is concluded, every end is stated.

`reading` sorts a report's records into decisions. Each family of processors has a module with a
subclass of `told.ToldDecision`: `attempts` of compressors, `offloads` of tool results, `notes` of
session memory; `stated` is what one record says by itself. A new family is a module beside them.

What files tell of a recording belongs in `inspector.trace`.
"""
