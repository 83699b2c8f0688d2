"""The settings at the left: cards of the chain and rows of the engine.

A further kind of setting is a `SettingRow`.
"""
