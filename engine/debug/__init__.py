"""What the engine writes about itself, and where: record models, directory rules, sinks.

`records`, `offload_records` and `memory_records` hold one model for each record, shared with
whoever reads the files. A `recorder` gives them time, ids and a file by the rules of `directories`,
and a sink (`sinks`) takes them. A new kind of record is a model here and a call in the processor
that knows the facts; how a turn ended is always an `Outcome`.
"""
