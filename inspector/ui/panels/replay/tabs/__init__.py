"""The views of the comparison: one file a tab, listed in `perspective`."""
