"""Painted parts that know how to show something, not what it means.

A widget here takes a model or plain values and reports what the user did. It knows no perspective
and no other panel. What settings are typed into is in `fields`, drawings of figures are in `plots`.
"""
