"""Painted parts that know how to show something and not what it means: tables, ribbon, text viewer, marks.

A widget here takes a model or plain values and reports what the user did. It knows no perspective and no other panel.
"""
