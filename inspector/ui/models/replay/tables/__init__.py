"""Row models of the Replay perspective: one file a table, none of which computes a figure."""
