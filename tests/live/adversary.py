"""A Minesweeper window that plays tricks, and the windows of others around it.

    python -m tests.live.adversary SCENE LOG [--seed N]

Two programs in one process, each with its own connection to the X server: the game, and the others,
who own a window below everything and whatever comes over the game. Every press and key that either
gets is a line in LOG: ``game press``, ``other press``, ``game key``, ``other key``.
"""

import argparse
import os
import re
import select
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

from PIL import Image
from Xlib import XK, X, Xatom, Xutil

from bot.desktop.ports import Button
from bot.simulated.paint import fill
from bot.simulated.program import MineProgram, Setup
from bot.simulated.render import skin_named
from bot.simulated.screen import Timeline
from calibration.grid import PixelPoint
from solver.game import Rule
from tests.live.deeds import create_window
from tests.live.ledger import connect

AT = 400, 300  # where the window lies at first
SKIN = skin_named("classic")


class Program:
    """A program with windows of its own."""

    def __init__(self, display, name, log):
        self.display = connect(display)
        self.screen = self.display.screen()
        self.root = self.screen.root
        self.gc = self.root.create_gc()
        self._name, self._log = name, log.open("a")

    def window(self, box, *, managed=False, unseen=False):
        """Make a window; an unmanaged one goes where it wants, an unseen one shows nothing."""
        mask = X.KeyPressMask | (0 if unseen else X.PointerMotionMask | X.ExposureMask)
        how = {"unseen": unseen, "managed": managed, "mask": mask}
        window = create_window(self.display, box, colour=0xC0C0C0, **how)
        window.set_wm_normal_hints(flags=Xutil.USPosition)
        window.set_wm_name(self._name)
        return window

    def dialog(self, of, box):
        """Show a window that says it is a dialog of another one."""
        dialog = self.window(box, managed=True)
        dialog.change_property(Xatom.WM_TRANSIENT_FOR, Xatom.WINDOW, 32, [of.id])
        dialog.map()
        self.display.sync()
        return dialog

    def note(self, event):
        kind = {X.ButtonPress: "press", X.KeyPress: "key"}.get(event.type)
        if kind:
            print(f"{self._name} {kind} {event.detail}", file=self._log, flush=True)

    def paint(self, drawable, pixels, x=0, y=0):
        """Put a picture, RGB, on a window or a pixmap."""
        drawable.put_pil_image(self.gc, x, y, Image.fromarray(pixels))


class Adversary:
    """The game, the others, and what one scene has them do.

    A scene is what happens when it begins, after each press, or when the pointer is over the board.
    """

    def __init__(self, display, scene, log, seed):
        self.random, clock = Random(seed), SimpleNamespace(now=time.monotonic)
        self.game, self.others = (Program(display, name, log) for name in ("game", "other"))
        self._scene, self._timeline, self._steps = scene, Timeline(clock), Timeline(clock)
        self._dialog = None
        screen = self.others.screen
        self.below = self.others.window((0, 0, screen.width_in_pixels, screen.height_in_pixels))
        self.below.map()
        self.below.configure(stack_mode=X.Below)
        self.others.display.sync()
        setup = Setup(9, 9, 10, Rule.ZERO, seed + 1, SKIN, 26, 1.0, latency_s=0, ripple_s=0)
        self._play = MineProgram(
            setup, timeline=self._steps, on_repaint=self._paint, on_move=lambda _: None
        )
        unmanaged = scene in ("hover", "ghost", "jump")
        self.window = self.game.window((*AT, *self._play.window.size), managed=not unmanaged)
        self._show()
        self.game.display.sync()
        time.sleep(0.3)
        if unmanaged:
            self.window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._does("begin")

    def _does(self, when, *place):
        getattr(self, f"_{when}_{self._scene}", lambda *_: None)(*place)

    # ---- the game ----------------------------------------------------------------------------

    def _picture(self):
        """Return what the game shows: in the scene `neighbour` it has no face."""
        window = self._play.window
        if self._scene == "neighbour":
            fill(window.picture, window.new_game, SKIN.window)
        return window.picture

    def _paint(self, box=None):
        x0, y0, x1, y1 = box or (0, 0, *self._play.window.size)
        self.game.paint(self.window, self._picture()[y0:y1, x0:x1], x0, y0)

    def _pressed(self, event):
        window, at = self._play.window, PixelPoint(event.event_x, event.event_y)
        x0, y0, x1, y1 = window.new_game
        if x0 <= at.x < x1 and y0 <= at.y < y1 and self._scene != "neighbour":
            self._play.new_game()
        elif (cell := window.grid.cell_at(at)) is not None and not self._play.is_over():
            if event.detail == 1:
                self._play.click(cell, Button.LEFT)
            self._does("after_press")

    def _game_event(self, event):
        self.game.note(event)
        key = event.detail if event.type == X.KeyPress else None
        if event.type == X.Expose:
            self._paint()
        elif self._dialog is not None:
            if key == self._keycode(XK.XK_Return) and event.window == self._dialog:
                self._dialog.destroy()
                self._dialog = None
        elif event.type == X.ButtonPress:
            self._pressed(event)
        elif key is not None and key == self._keycode(XK.XK_F2):
            self._play.new_game()
        elif event.type == X.MotionNotify:
            at = PixelPoint(event.event_x, event.event_y)
            if self._play.window.grid.cell_at(at) is not None and self._play.game.started:
                self._does("hovered", event.root_x, event.root_y)

    def _keycode(self, symbol):
        return self.game.display.keysym_to_keycode(symbol)

    # ---- time --------------------------------------------------------------------------------

    def later(self, least_s, most_s, do):
        self._timeline.later(self.random.uniform(least_s, most_s), do)

    def run(self):
        """Handle what comes, until this process is ended."""
        programs = (self.game, self._game_event), (self.others, self.others.note)
        while True:
            self._timeline.advance()
            for program, handle in programs:
                while program.display.pending_events():
                    handle(program.display.next_event())
                    self._steps.advance()
                program.display.flush()
            select.select([program.display for program, _ in programs], [], [], 0.01)

    # ---- the scenes --------------------------------------------------------------------------

    def _hide(self, least_s, most_s):
        self.window.unmap()
        self.later(least_s, most_s, self._show)

    def _show(self):
        self.window.map()
        self.window.configure(stack_mode=X.Above)

    def _hovered_hover(self, x, y):
        if self.random.random() < 0.5:
            self._hide(0.2, 0.4)

    def _begin_ghost(self):
        self.later(0.05, 0.3, self._begin_ghost)
        self._hide(0.01, 0.3)

    def _begin_jump(self):
        self.later(0.1, 1.5, self._begin_jump)
        x, y = self.random.randrange(60, 700), self.random.randrange(60, 420)
        self.window.configure(x=x, y=y)

    def _after_press_dodge(self):
        self.window.configure(
            x=AT[0] + self.random.randrange(-40, 40), y=AT[1] + self.random.randrange(-40, 40)
        )

    def _cover(self, box, *, unseen=False):
        over = self.others.window(box, unseen=unseen)
        over.map()
        self.others.display.flush()
        self.later(0.01, 0.3, over.destroy)

    def _after_press_record(self):
        """Ask for a name after each game, in a dialog that takes all input until Return."""
        if self._play.is_over():
            self._dialog = self.game.dialog(self.window, (AT[0] + 30, AT[1] + 130, 220, 130))

    def _hovered_dialog(self, x, y):
        if self.random.random() < 0.3:
            self._cover((x - 120, y - 60, 240, 120))

    def _begin_unseen(self):
        self.later(0.1, 0.8, self._begin_unseen)
        self._cover((0, 0, 1920, 1080), unseen=True)

    def _begin_twin(self):
        """Show, in another window, what the game shows."""
        self.later(0.1, 0.8, self._begin_twin)
        width, height = self._play.window.size
        where = self.window.translate_coords(self.game.root, 0, 0)
        picture = self.others.root.create_pixmap(width, height, self.others.screen.root_depth)
        self.others.paint(picture, self._picture())
        twin = self.others.window((-where.x, -where.y, width, height))
        twin.change_attributes(background_pixmap=picture)
        twin.map()
        self.others.display.flush()
        self.later(0.01, 0.3, twin.destroy)
        self.later(0.3, 0.3, picture.free)

    def _begin_raise(self):
        self.later(0.2, 0.8, self._begin_raise)
        self.below.configure(stack_mode=X.Above)
        self.later(0.01, 0.3, lambda: self.below.configure(stack_mode=X.Below))

    def _begin_thief(self):
        self.below.set_input_focus(X.RevertToParent, X.CurrentTime)
        self.later(0.02, 0.1, self._begin_thief)

    def _begin_claim(self):
        """Take the keyboard with a window that says it is a dialog of the game."""
        dialog = self.others.dialog(self.window, (20, 20, 200, 80))
        time.sleep(0.3)

        def take():
            dialog.set_input_focus(X.RevertToParent, X.CurrentTime)
            self.later(0.02, 0.1, take)

        take()

    def _begin_grab(self):
        """Take pointer and keyboard, as a menu does that a person opened elsewhere."""
        self.later(0.3, 1.0, self._begin_grab)
        mask = X.ButtonPressMask
        self.below.grab_pointer(
            False, mask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime
        )
        self.below.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)

        def let_go():
            self.others.display.ungrab_pointer(X.CurrentTime)
            self.others.display.ungrab_keyboard(X.CurrentTime)

        self.later(0.01, 0.3, let_go)

    def _begin_neighbour(self):
        """Show a face in a window of another program, above the board."""
        x0, y0, x1, y1 = self._play.window.new_game
        face = self._play.window.picture[y0:y1, x0:x1].copy()
        box = self.others.window((AT[0] + x0 - 45, AT[1] + y0 - 9, 120, 48))
        box.map()
        self.others.display.sync()

        def paint():
            self.others.paint(box, face, 45, 9)
            self.others.display.flush()

        paint()
        self.later(0.1, 0.1, paint)


def scenes():
    """Return the names of all scenes; ``plain`` plays no trick."""
    found = (re.fullmatch("_(?:begin|hovered|after_press)_(.+)", name) for name in vars(Adversary))
    return ["plain", *dict.fromkeys(match[1] for match in found if match)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", choices=scenes())
    parser.add_argument("log", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    Adversary(os.environ["DISPLAY"], args.scene, args.log, args.seed).run()


if __name__ == "__main__":
    main()
