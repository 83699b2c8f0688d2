"""Drawings painted by hand: messages side by side, and the rows of a sweep.

A drawing gets plain figures, not models; another one is a file of its own. Charts over the steps of
a session are in `charts`.
"""
