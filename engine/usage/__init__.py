"""Usage reports: what fills a window, by category, and what the provider's cache saved.

`report` is what a report holds, `measure` counts a window's parts, `figures` sets them against the
provider's total, `reporter` builds reports for one context and tells what changed since the one
before, `cache` reads the provider's cache numbers. Nothing here decides anything; a figure is an
estimate unless the provider's total stands beside it.
"""
