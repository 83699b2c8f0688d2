"""The command line as a text for `python -c`, to start in a process of its own."""

PROGRAM = """
import signal, sys
from inspector.cli import main

sys.argv[0] = "context-inspector"
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
main()
"""
