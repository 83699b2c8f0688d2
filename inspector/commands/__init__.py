"""The commands of the terminal, one file each, and what they share.

A command reads its arguments, calls one function of the layers below, and prints; what needs Qt is
imported inside it. A new one is one file, named in `inspector.cli.COMMANDS`.

`options` and `inputs` are what a command is given, `printing` and `exit_codes` what it answers.
`asking` lets a model write summaries, `sweep_run` runs the sweeps of two commands.
"""
