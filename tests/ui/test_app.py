"""The window as a program: how it is closed from outside."""

import subprocess
import sys


def test_an_interrupt_from_the_terminal_closes_the_window() -> None:
    code = (
        "import os, signal, sys, threading\n"
        "from inspector.ui.app import run_window\n"
        "from inspector.ui.main_window import MainWindow\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "kill = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "MainWindow.open = lambda window, paths: threading.Timer(0.1, kill).start()\n"
        "sys.exit(run_window(['.'], False))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 130
    assert b"KeyboardInterrupt" not in ended.stderr
