"""What the engine writes about itself, and where: record models, directory rules, sinks.

`records`, `offload_records` and `memory_records` hold one model for each record, shared with
whoever reads the files. A sink (`sinks`) takes records; a new kind of record is a model here and a
call of `DebugRecorder` in the processor that knows the facts.
"""
