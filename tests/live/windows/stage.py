"""Runs on Windows' Python: a program to play, the bot, a person at the mouse, and a witness.

    python.exe stage.py PLAN.json

Starts the program, lets the bot play it in its window, does what the plan says when so many presses
have been seen, and writes what happened beside the plan. Nothing here uses the code of the bot. The
presses come from a hook of Windows, the ends from pixels that the program paints only at an end.
"""

import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from ctypes import wintypes
from pathlib import Path

import mss
import numpy as np

user32 = ctypes.WinDLL("user32")
kernel32 = ctypes.WinDLL("kernel32")
LRESULT = ctypes.c_ssize_t
HOOK = ctypes.WINFUNCTYPE(LRESULT, ctypes.c_int, wintypes.WPARAM, wintypes.LPARAM)
user32.CallNextHookEx.argtypes = wintypes.HHOOK, ctypes.c_int, wintypes.WPARAM, wintypes.LPARAM
user32.CallNextHookEx.restype = LRESULT
user32.SetWindowsHookExW.argtypes = (ctypes.c_int, HOOK, wintypes.HINSTANCE, wintypes.DWORD)
user32.SetWindowsHookExW.restype = wintypes.HHOOK
user32.FindWindowW.restype = wintypes.HWND
user32.GetLastActivePopup.argtypes = (wintypes.HWND,)
user32.GetLastActivePopup.restype = wintypes.HWND
user32.PostMessageW.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)
kernel32.GetModuleHandleW.restype = wintypes.HMODULE
user32.SetWindowPos.argtypes = (wintypes.HWND, wintypes.HWND, *[ctypes.c_int] * 4, wintypes.UINT)

MOUSE_HOOK, LEFT_DOWN, RIGHT_DOWN, MIDDLE_DOWN = 14, 0x201, 0x204, 0x207
BUTTONS = {LEFT_DOWN: "left", RIGHT_DOWN: "right", MIDDLE_DOWN: "middle"}
NO_SIZE, TOPMOST, CLOSE = 0x1, -1, 0x10
SHIFT, KEY_UP = 0x10, 0x2
OLIVE = (128, 128, 0)  # a colour that all of winemine's smileys have


class Witness:
    """Every press of a button, as a hook of Windows sees it, and every end that is shown."""

    def __init__(self):
        self.presses: list[tuple[float, int, int, str]] = []
        self.signs: list[tuple[float, str]] = []
        self.dialogs: set[int] = set()
        threading.Thread(target=self._hook, daemon=True).start()

    def _hook(self):
        def note(code, message, data):
            if code == 0 and message in BUTTONS:
                x, y = ctypes.cast(data, ctypes.POINTER(ctypes.c_long * 2)).contents
                self.presses.append((time.time(), x, y, BUTTONS[message]))
            return user32.CallNextHookEx(None, code, message, data)

        self._note = HOOK(note)  # kept alive
        if not user32.SetWindowsHookExW(MOUSE_HOOK, self._note, kernel32.GetModuleHandleW(None), 0):
            os._exit(9)  # nothing would be seen
        message = wintypes.MSG()
        while user32.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
            pass

    def see_end(self, window):
        """Close what lies over the last board, and wait a moment for the end that it shows."""

        def shown():
            if over := dialog_of(window):
                user32.PostMessageW(over, CLOSE, 0, 0)
            return bool(self.signs) and self.signs[-1][1] != "playing"

        with suppress(TimeoutError):
            wait(shown, 10, "an end")

    def watch_smiley(self, window, over):
        """List ``won`` and ``lost`` as winemine's smiley shows them twice in a row, and dialogs."""
        while not over.wait(0.03):
            # A camera that failed may fail for ever: another one is opened.
            with suppress(Exception), mss.MSS() as camera:
                before = None
                while not over.wait(0.03):
                    if over_it := dialog_of(window):
                        self.dialogs.add(over_it)
                    said = smiley_of(camera, window)
                    if said and said == before and said != [(0, "playing"), *self.signs][-1][1]:
                        self.signs.append((time.time(), said))
                    before = said


def inside(window):
    box, corner = wintypes.RECT(), wintypes.POINT(0, 0)
    user32.GetClientRect(wintypes.HWND(window), ctypes.byref(box))
    user32.ClientToScreen(wintypes.HWND(window), ctypes.byref(corner))
    return corner.x, corner.y, corner.x + box.right, corner.y + box.bottom


def smiley_of(camera, window):
    """Decide by winemine's smiley: sunglasses if won, grey if lost."""
    left, top, right, _ = inside(window)
    middle = (left + right) // 2
    shot = camera.grab((middle - 14, top, middle + 14, top + 60))
    face = np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)
    if (face == OLIVE).all(-1).sum() < 8:
        return None
    yellow = int(((face[..., :2] > 200).all(-1) & (face[..., 2] < 80)).sum())
    return {128: "won", 0: "lost"}.get(yellow, "playing")


def wait(condition, limit_s, what):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    raise TimeoutError(what)


def find_window(title):
    return user32.FindWindowW(None, title)


def dialog_of(window):
    """Return the dialog that a program shows over its window, None if there is none."""
    over = user32.GetLastActivePopup(window)
    return over if over != window else None


class Person:
    """What a person does while the bot plays; each deed is named in the plan."""

    def __init__(self, window):
        self.window = window
        self.began = 0.0  # of a deed that takes a while to begin
        self.left, self.top = (user32.GetSystemMetrics(number) for number in (76, 77))

    def corner(self):
        user32.SetCursorPos(self.left, self.top)

    def moves(self):
        """Move the mouse for three seconds."""
        for step in range(30):
            user32.SetCursorPos(self.left + 40 + 7 * step, self.top + 60)
            time.sleep(0.1)

    def shift(self):
        """Hold Shift for three seconds."""
        user32.keybd_event(SHIFT, 0, 0, 0)
        time.sleep(3)
        user32.keybd_event(SHIFT, 0, KEY_UP, 0)

    def cover(self):
        """Lay a window over the board for four seconds."""
        notepad = subprocess.Popen(["notepad.exe"])
        cover = wait(lambda: find_window("Untitled - Notepad"), 30, "the covering window")
        left, top, right, bottom = inside(self.window)
        user32.SetWindowPos(cover, TOPMOST, left, top, right - left, bottom - top, 0)
        self.began = time.time()
        time.sleep(4)
        notepad.kill()

    def ctrl_c(self):
        """Press Ctrl-C in the console that this process shares with the bot."""
        kernel32.SetConsoleCtrlHandler(None, True)
        if not kernel32.GenerateConsoleCtrlEvent(0, 0):
            raise OSError(f"no Ctrl-C: error {kernel32.GetLastError()}")


def own_console():
    """Open a console of its own, which the bot will share: a desktop of Wine gives none."""
    kernel32.FreeConsole()
    if not kernel32.AllocConsole():
        raise OSError(f"no console: error {kernel32.GetLastError()}")
    user32.ShowWindow(wintypes.HWND(kernel32.GetConsoleWindow()), 0)  # it would lie over the board


def main(plan_file):
    """Do what the plan says; write the outcome beside it."""
    plan = json.loads(plan_file.read_text("utf-8"))
    folder, outcome = plan_file.parent, {}
    if plan.get("deed") == "ctrl_c":
        own_console()
    program, over = subprocess.Popen(plan["program"], cwd=folder), threading.Event()
    try:
        play(plan, folder, over, outcome)
    except TimeoutError as error:
        outcome["error"] = f"not seen: {error}"
    finally:
        over.set()
        program.kill()
        (folder / "outcome.json").write_text(json.dumps(outcome), "utf-8")


def play(plan, folder, over, outcome):
    window = wait(lambda: find_window(plan["title"]), 60, f"a window {plan['title']!r}")
    time.sleep(1)
    if plan.get("at"):
        user32.SetWindowPos(window, None, *plan["at"], 0, 0, NO_SIZE)
        time.sleep(0.5)
    witness, is_winemine = Witness(), plan["title"] == "WineMine"
    if is_winemine:
        threading.Thread(target=witness.watch_smiley, args=(window, over), daemon=True).start()
    with open(folder / "bot.out", "wb") as out, open(folder / "bot.err", "wb") as err:
        bot = subprocess.Popen(
            [sys.executable, *plan.get("start", ("-m", "bot")), *plan["bot"]], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=out, stderr=err,
        )  # fmt: skip

    def is_time():
        return len(witness.presses) >= plan["after"] or bot.poll() is not None

    if plan.get("deed"):
        wait(is_time, plan["limit_s"], "presses")
        person, begun = Person(window), time.time()
        getattr(person, plan["deed"])()
        outcome |= {"deed_at": max(begun, person.began), "deed_done": time.time()}
    try:
        outcome["exit"] = bot.wait(plan["limit_s"])
    except subprocess.TimeoutExpired:
        bot.kill()
        outcome["exit"] = None
    time.sleep(1)  # a press that comes late is a press
    if is_winemine and outcome["exit"] == 0:
        witness.see_end(window)
    outcome |= {"presses": witness.presses, "signs": witness.signs, "inside": inside(window)}
    outcome["dialogs"] = len(witness.dialogs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
