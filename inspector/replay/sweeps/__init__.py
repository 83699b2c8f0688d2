"""Many replays at once: a grid of settings over one or more cases, on all cores or a cluster.

`grid` makes the combinations, `job` runs one of them, `workers` and `cluster` spread the jobs,
`sweep` collects the rows and `pareto` finds the best of them. `study` is the sweep that compares
strategies. Another place to run jobs is one file that satisfies `workers.Workers`.

What a row's figures are is said in `inspector.replay.comparisons`.
"""
