"""What is asked or explained in a window of its own."""
