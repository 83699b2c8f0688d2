"""The tabs that explain one decision, one file each.

A tab subclasses `tab.DetailTab` and is registered in `tabs.TABS`.
"""
