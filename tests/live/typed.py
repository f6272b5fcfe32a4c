"""A window that prints what is typed into it, as a program that uses Xlib sees it.

Prints one line a key: the symbol, and the modifiers Shift, Control and Alt that are held. The
argument is the group of the keyboard that is locked at the start.
"""

from __future__ import annotations

import ctypes as c
import ctypes.util
import sys

X11 = c.CDLL(ctypes.util.find_library("X11"))
X11.XOpenDisplay.restype = X11.XKeysymToString.restype = c.c_void_p
X11.XKeysymToString.argtypes = (c.c_ulong,)
KEY_PRESS, MAPPING_NOTIFY, KEY_EVENTS, CORE_KEYBOARD = 2, 34, 1, 0x100


class KeyEvent(c.Structure):
    """`XKeyEvent`, in the room of an `XEvent`."""

    _fields_ = [
        ("type", c.c_int), ("serial", c.c_ulong), ("sent", c.c_int), ("display", c.c_void_p),
        ("window", c.c_ulong), ("root", c.c_ulong), ("child", c.c_ulong), ("time", c.c_ulong),
        ("x", c.c_int), ("y", c.c_int), ("x_root", c.c_int), ("y_root", c.c_int),
        ("state", c.c_uint), ("keycode", c.c_uint), ("same_screen", c.c_int),
        ("room", c.c_char * 96),
    ]  # fmt: skip


def main() -> None:
    display = c.c_void_p(X11.XOpenDisplay(None))
    root = X11.XDefaultRootWindow(display)
    window = X11.XCreateSimpleWindow(display, root, 0, 0, 200, 100, 0, 0, 0xFFFFFF)
    X11.XSelectInput(display, window, KEY_EVENTS)
    X11.XMapWindow(display, window)
    X11.XSync(display, 0)
    X11.XSetInputFocus(display, window, 1, 0)
    X11.XkbLockGroup(display, CORE_KEYBOARD, int(sys.argv[1]))
    X11.XSync(display, 0)
    print("ready", flush=True)
    event, symbol, text = KeyEvent(), c.c_ulong(), c.create_string_buffer(16)
    while True:
        X11.XNextEvent(display, c.byref(event))
        if event.type == MAPPING_NOTIFY:
            X11.XRefreshKeyboardMapping(c.byref(event))
        if event.type != KEY_PRESS:
            continue
        X11.XLookupString(c.byref(event), text, 16, c.byref(symbol), None)
        name = X11.XKeysymToString(symbol.value)
        word = c.string_at(name).decode() if name else hex(symbol.value)
        held = [n for n, bit in (("Shift", 1), ("Control", 4), ("Alt", 8)) if event.state & bit]
        print(word, *held, flush=True)


if __name__ == "__main__":
    sys.exit(main())
