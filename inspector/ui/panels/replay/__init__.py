"""The Replay perspective: what other settings would have done.

`perspective` arranges the parts and connects them to the one `ReplayBench`, `commands` says what
each action does. The settings are in `chain`, the views below the chart in `tabs` and `sweep`, what
is asked in `dialogs`. A further view is one file among the tabs, listed in `perspective`.
"""
