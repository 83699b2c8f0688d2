"""What the offloaders did to each tool result.

`passes` groups the lines of the log into passes and joins them to offload files and rules' dumps,
which wait on the `shelf`; `verdicts` says how a pass ended; `times` dates the lines, which have no
times; `rows` and `decisions` hand them over with their `gates`; `detail` is what is shown of one.

What the other processors did belongs in modules and packages beside this one.
"""
