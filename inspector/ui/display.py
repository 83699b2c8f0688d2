"""Whether a window can be shown, asked before Qt is: Qt ends the process where it finds no display.

Imports no Qt. On Linux the platform plugin is loaded as a bare library, which names what is
missing, and the display is called up and put down again.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

WITHOUT_SCREEN = "inspect, decisions, replay, compare, export and shots work without a screen"
_OWN_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs", "vkkhrdisplay", "minimalegl")


def missing_display(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> str | None:
    """Return why no window can be shown, in one line, or None when one can.

    Args:
        environment: Where the names of platform and display are looked up.
        platform: As in `sys.platform`; nothing is asked beside Linux.
    """
    fault = fault_of_libraries()
    if fault is None and platform == "linux":
        fault = _fault_of_display(environment)
    return (
        None
        if fault is None
        else f"No window can be shown: {fault}. {WITHOUT_SCREEN[0].upper()}{WITHOUT_SCREEN[1:]}."
    )


def fault_of_libraries() -> str | None:
    """Return why Qt cannot be loaded, or None when it can."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return f"Qt cannot be loaded ({error})"
    return None


def _fault_of_display(environment: Mapping[str, str]) -> str | None:
    asked = [
        name.partition(":")[0] for name in environment.get("QT_QPA_PLATFORM", "").split(";") if name
    ]
    if not asked:
        if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
            return "neither DISPLAY nor WAYLAND_DISPLAY is set (xvfb-run provides a display)"
        asked = ["wayland"] if environment.get("WAYLAND_DISPLAY") else []
        asked += ["xcb"] if environment.get("DISPLAY") else []
    faults = []
    for name in asked:
        fault = _fault_of_platform(name, environment)
        if fault is None:
            return None
        faults.append(fault)
    return "; ".join(faults)


def _fault_of_platform(name: str, environment: Mapping[str, str]) -> str | None:
    plugin = _plugin_folder() / f"libq{name}.so"
    if not plugin.exists():
        return f"Qt has no platform called {name} (see QT_QPA_PLATFORM)"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        library = str(error).partition(":")[0]
        return f"{library} is missing, which Qt's {name} platform needs (see README)"
    if name in _OWN_SCREEN:
        return None
    return _CALLS[name](environment) if name in _CALLS else None


def _plugin_folder() -> Path:
    found = importlib.util.find_spec("PySide6")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "Qt" / "plugins" / "platforms"


def _call_xcb(environment: Mapping[str, str]) -> str | None:
    display = environment.get("DISPLAY", "")
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode() or None, None)
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return f"the display {display or '(none)'} does not answer" if failed else None


def _call_wayland(environment: Mapping[str, str]) -> str | None:
    name = environment.get("WAYLAND_DISPLAY", "")
    wayland = ctypes.CDLL("libwayland-client.so.0")
    wayland.wl_display_connect.restype = ctypes.c_void_p
    wayland.wl_display_disconnect.argtypes = [ctypes.c_void_p]
    display = wayland.wl_display_connect(name.encode() or None)
    if not display:
        return f"the Wayland display {name or '(none)'} does not answer"
    wayland.wl_display_disconnect(display)
    return None


_CALLS = {"xcb": _call_xcb, "wayland": _call_wayland}
