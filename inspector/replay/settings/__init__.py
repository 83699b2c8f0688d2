"""The settings of a case: edited, shown as a form, and taken home.

`edits` makes a case with other settings of `Processor.field=value`; `chain` is a list of processors
in a file. `fields` has all settings with their ranges and where their values come from, as a form
shows them. `take_home` writes them as Python for openJiuwen, a chain file and a command line.

What a setting means is said by the engine's configuration models, and nothing here repeats it;
settings that a recording lets one conclude are found by `inspector.replay.recovery`. Another form
in which settings leave the program goes into `take_home`.
"""
