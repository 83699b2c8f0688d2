"""The Inspect perspective: sources, timeline, decisions, and what takes the detail area's place.

`perspective` arranges the panels. A page that stands in for the decision (a file, a problem, a
payload) is built on `page` and shown by `perspective`; a tab of the decision belongs in `detail`.
"""
