"""The Sweep tab: what is varied, the rows that come of it, and pictures of them."""
