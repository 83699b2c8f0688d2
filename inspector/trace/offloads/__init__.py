"""What the offloaders did to each tool result.

`passes` groups the lines of the log and joins them to offload files and rules' dumps, which wait
on the `shelf`; each pass is a `story`, whose end `verdicts` tells; `times` dates the lines, which
have none; `rows` and `decisions` hand them over with their `gates`; `detail` is what is shown.

What the other processors did belongs in modules and packages beside this one.
"""
