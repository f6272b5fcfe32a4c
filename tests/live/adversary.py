"""A Minesweeper window that plays tricks, and the windows of others around it.

    python -m tests.live.adversary SCENE LOG [--seed N]

Two programs in one process, each with its own connection to the X server: the game, and the others,
who own a window below everything and whatever comes over the game. Every press and key that either
gets is a line in LOG: ``game press``, ``other press``, ``game key``, ``other key``.
"""

import argparse
import os
import select
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from Xlib import XK, X, Xatom, Xutil

from bot.simulated.render import draw_tile, skin_named
from solver.board import Cell, Tile
from solver.game import Game, Rule, Status
from tests.live.ledger import connect

ROWS, COLS, MINES, TILE = 9, 9, 10, 26
BOARD_X, BOARD_Y = 30, 70
WIDTH, HEIGHT = COLS * TILE + 60, ROWS * TILE + 110
AT = 400, 300
"""Where the window lies at first."""

SMILEY_X, SMILEY_Y, SMILEY = WIDTH // 2, 38, 16
"""The middle of the box with the face above the board, and half its side."""

GREY, WHITE, DARK, BLACK, YELLOW = 0xC0C0C0, 0xFFFFFF, 0x808080, 0, 0xFFFF00
WATCHED = X.ButtonPressMask | X.KeyPressMask | X.PointerMotionMask | X.ExposureMask
SKIN = skin_named("classic")

Pixels = NDArray[np.uint8]


class Program:
    """A program with windows of its own."""

    def __init__(self, display, name, log):
        self.display = connect(display)
        self.screen = self.display.screen()
        self.root = self.screen.root
        self.gc = self.root.create_gc(foreground=BLACK, background=WHITE)
        self._name, self._log = name, log.open("a")

    def window(self, box, *, managed=False, unseen=False):
        """Make a window; an unmanaged one goes where it wants, an unseen one shows nothing."""
        left, top, width, height = box
        looks = {} if unseen else {"background_pixel": GREY}
        window = self.root.create_window(
            left, top, width, height, 0, 0 if unseen else self.screen.root_depth,
            X.InputOnly if unseen else X.InputOutput, X.CopyFromParent,
            override_redirect=not managed,
            event_mask=X.ButtonPressMask | X.KeyPressMask if unseen else WATCHED, **looks,
        )  # fmt: skip
        window.set_wm_normal_hints(flags=Xutil.USPosition)
        window.set_wm_name(self._name)
        return window

    def note(self, event):
        """Write a line for a press or a key."""
        kind = {X.ButtonPress: "press", X.KeyPress: "key"}.get(event.type)
        if kind:
            print(f"{self._name} {kind} {event.detail}", file=self._log, flush=True)

    def draw_face(self, window, x, y):
        """Draw a smiling face in a raised box around a point."""
        side = 2 * SMILEY
        for colour, box in (
            (WHITE, (x - SMILEY, y - SMILEY, side, side)),
            (DARK, (x - SMILEY + 2, y - SMILEY + 2, side - 2, side - 2)),
            (GREY, (x - SMILEY + 2, y - SMILEY + 2, side - 4, side - 4)),
        ):
            self.gc.change(foreground=colour)
            window.fill_rectangle(self.gc, *box)
        for colour, arc in (
            (BLACK, (x - 11, y - 11, 22, 22)),
            (YELLOW, (x - 10, y - 10, 20, 20)),
            (BLACK, (x - 5, y - 4, 3, 3)),
            (BLACK, (x + 3, y - 4, 3, 3)),
        ):
            self.gc.change(foreground=colour)
            window.fill_arc(self.gc, *arc, 0, 360 * 64)
        window.arc(self.gc, x - 6, y - 4, 12, 11, 200 * 64, 140 * 64)


class Adversary:
    """The game, the others, and what one scene has them do."""

    def __init__(self, display, scene, log, seed):
        self.random, self._timers = Random(seed), list[tuple[float, Callable[[], None]]]()
        self.game, self.others = (Program(display, name, log) for name in ("game", "other"))
        self._scene, self._seed = scene, seed
        self._dialog: Any = None
        screen = self.others.screen
        self.below = self.others.window((0, 0, screen.width_in_pixels, screen.height_in_pixels))
        self.below.map()
        self.below.configure(stack_mode=X.Below)
        self.others.display.sync()
        place = (*AT, WIDTH, HEIGHT)
        self.window = self.game.window(place, managed=scene not in ("hover", "ghost", "jump"))
        self._new_game()
        self.window.map()
        self.window.configure(stack_mode=X.Above)
        self.game.display.sync()
        time.sleep(0.3)
        if scene in ("hover", "ghost", "jump"):
            self.window.set_input_focus(X.RevertToParent, X.CurrentTime)
        getattr(self, f"_begin_{scene}", lambda: None)()

    # ---- the game ----------------------------------------------------------------------------

    def _new_game(self):
        self._seed += 1
        self._play = Game.random(ROWS, COLS, MINES, rule=Rule.ZERO, seed=self._seed)
        self._draw()

    def _draw(self):
        window, gc, tiles = self.window, self.game.gc, self._play.board.tiles
        if self._scene != "neighbour":
            self.game.draw_face(window, SMILEY_X, SMILEY_Y)
        for cell in self._play.board.cells():
            picture = draw_tile(SKIN, int(tiles[cell]), (TILE, TILE))
            blue_first = np.zeros((TILE, TILE, 4), np.uint8)
            blue_first[..., :3] = picture[..., ::-1]
            x, y = BOARD_X + cell.col * TILE, BOARD_Y + cell.row * TILE
            depth = self.game.screen.root_depth
            window.put_image(gc, x, y, TILE, TILE, X.ZPixmap, depth, 0, blue_first.tobytes())

    def _pressed(self, event):
        on_face = max(abs(event.event_x - SMILEY_X), abs(event.event_y - SMILEY_Y)) <= SMILEY
        row, col = (event.event_y - BOARD_Y) // TILE, (event.event_x - BOARD_X) // TILE
        if on_face and self._scene != "neighbour":
            self._new_game()
        elif 0 <= row < ROWS and 0 <= col < COLS and self._play.status is Status.PLAYING:
            if event.detail == 1 and self._play.board[Cell(row, col)] == Tile.HIDDEN:
                self._play.open(Cell(row, col))
            self._draw()
            getattr(self, f"_after_press_{self._scene}", lambda: None)()

    def _game_event(self, event):
        self.game.note(event)
        if self._dialog is not None:
            if event.type == X.KeyPress and event.window == self._dialog:
                self._close_dialog(event.detail)
            elif event.type == X.Expose:
                self._draw()
        elif event.type == X.ButtonPress:
            self._pressed(event)
        elif event.type == X.KeyPress:
            if event.detail == self.game.display.keysym_to_keycode(XK.XK_F2):
                self._new_game()
        elif event.type == X.Expose:
            self._draw()
        elif event.type == X.MotionNotify:
            on_board = event.event_y > BOARD_Y and event.event_x > BOARD_X
            if on_board and self._play.board.open.any():
                getattr(self, f"_hovered_{self._scene}", lambda x, y: None)(
                    event.root_x, event.root_y
                )

    # ---- time --------------------------------------------------------------------------------

    def later(self, least_s, most_s, do):
        """Have something done after a time drawn by chance."""
        self._timers.append((time.monotonic() + self.random.uniform(least_s, most_s), do))

    def run(self):
        """Handle what comes, until this process is ended."""
        programs = (self.game, self._game_event), (self.others, self.others.note)
        while True:
            now = time.monotonic()
            for due in [one for one in self._timers if one[0] <= now]:
                self._timers.remove(due)
                due[1]()
            for program, handle in programs:
                while program.display.pending_events():
                    handle(program.display.next_event())
                program.display.flush()
            wait_s = max(0.0, min((at for at, _ in self._timers), default=now + 1) - now)
            select.select([program.display for program, _ in programs], [], [], min(wait_s, 0.05))

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
        if self._play.status is Status.PLAYING:
            return
        self._dialog = self.game.window((AT[0] + 30, AT[1] + 130, 220, 130), managed=True)
        self._dialog.change_property(Xatom.WM_TRANSIENT_FOR, Xatom.WINDOW, 32, [self.window.id])
        self._dialog.map()

    def _close_dialog(self, keycode):
        if keycode == self.game.display.keysym_to_keycode(XK.XK_Return):
            self._dialog.destroy()
            self._dialog = None

    def _hovered_dialog(self, x, y):
        if self.random.random() < 0.3:
            self._cover((x - 120, y - 60, 240, 120))

    def _begin_unseen(self):
        self.later(0.1, 0.8, self._begin_unseen)
        self._cover((0, 0, 1920, 1080), unseen=True)

    def _begin_twin(self):
        """Show, in another window, what the game shows."""
        self.later(0.1, 0.8, self._begin_twin)
        seen = self.window.get_image(0, 0, WIDTH, HEIGHT, X.ZPixmap, 0xFFFFFFFF)
        where = self.window.translate_coords(self.game.root, 0, 0)
        depth, root = self.others.screen.root_depth, self.others.root
        picture = root.create_pixmap(WIDTH, HEIGHT, depth)
        rows, stride = 64, 4 * WIDTH  # a request has a limit
        for top in range(0, HEIGHT, rows):
            part = seen.data[top * stride : (top + rows) * stride]
            high = len(part) // stride
            picture.put_image(self.others.gc, 0, top, WIDTH, high, X.ZPixmap, depth, 0, part)
        twin = self.others.window((-where.x, -where.y, WIDTH, HEIGHT))
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
        dialog = self.others.window((20, 20, 200, 80), managed=True)
        dialog.change_property(Xatom.WM_TRANSIENT_FOR, Xatom.WINDOW, 32, [self.window.id])
        dialog.map()
        self.others.display.sync()
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
        x, y = AT[0] + SMILEY_X, AT[1] + BOARD_Y - 32
        box = self.others.window((x - 60, y - 24, 120, 48))
        box.map()
        self.others.display.sync()
        self.others.draw_face(box, 60, 24)
        self.others.display.flush()
        self.later(0.1, 0.1, lambda: self.others.draw_face(box, 60, 24))


def scenes():
    """Return the names of all scenes; ``plain`` plays no trick."""
    parts = (name.removeprefix("_").rpartition("_") for name in vars(Adversary))
    kinds = ("begin", "hovered", "after_press")
    return ["plain", *dict.fromkeys(scene for kind, _, scene in parts if kind in kinds)]


def main():
    """Play a scene until this process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", choices=scenes())
    parser.add_argument("log", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    Adversary(os.environ["DISPLAY"], args.scene, args.log, args.seed).run()


if __name__ == "__main__":
    main()
