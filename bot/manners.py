"""How a program wants to be treated between games: its dialogs closed, a new game asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bot.errors import UsageError, WindowCovered, WindowStuck, WindowTrouble
from bot.eye import Eye
from bot.hand import Hand
from bot.options import Limits
from bot.sight import Sight
from bot.signs import View, begun_anew
from calibration.errors import Unreadable
from calibration.frame import PixelPoint, ScreenPoint
from calibration.theme import LEARNED, Handling
from solver.board import Board, Cell


class Manners:
    """New games and dialogs, by the theme's manners or the person's word: ``way`` and ``close``."""

    def __init__(
        self,
        eye: Eye,
        hand: Hand,
        sight: Sight,
        *,
        way: str | None,
        close: str | None,
        limits: Limits,
    ) -> None:
        self._eye = eye
        self._hand = hand
        self._sight = sight
        self._way = way
        self._close = close
        self._limits = limits

    @property
    def handling(self) -> Handling:
        """The manners of the program watched."""
        return self._eye.watch.whole.theme.handling

    def dialog_keys(self, *, may_win: bool, may_lose: bool) -> tuple[str, ...]:
        """Return the keys that close what may lie over the board after the last clicks.

        A program nobody described gets none: many end at the key that closes most dialogs.
        """
        if self._close is not None:
            return (self._close,) if may_win or may_lose else ()
        handling = self.handling
        keys = (handling.close_won if may_win else ()) + (handling.close_lost if may_lose else ())
        return tuple(dict.fromkeys(keys))

    def after_game(self, *, won: bool) -> None:
        """Close the dialog this program is known to open at such an end, should it come."""
        dialog = self.dialog_keys(may_win=won, may_lose=not won)
        if dialog and self._sight.wait_trouble(self._limits.dialog_s):
            self._sight.wait_board(dialog=dialog)

    def explained(self, trouble: Exception) -> Exception:
        """Say of what came over a finished board how to go on, if no key is known to close it."""
        covered = isinstance(trouble, WindowTrouble)
        if not covered or self._close is not None or self._eye.watch.whole.theme.name != LEARNED:
            return trouble
        return WindowCovered(
            "Something came over the board at the end of a game: close it and start again, or "
            "name the key that closes what this program opens there with --close KEY."
        )

    @property
    def way(self) -> str:
        """How to ask for a new game: as told, as the theme says, or by the face found.

        Raises `UsageError` when nothing tells.
        """
        face = "face" if self._eye.watch.reader.face.centre else None
        way = self._way or self.handling.new_game or face
        if way is None:
            raise UsageError(
                "How this program starts a new game is not known: say it with --new-game KEY "
                "(such as f2 or ctrl+n) or --new-game X,Y (a place to click), or play one game."
            )
        return way

    def check(self) -> None:
        """Raise `UsageError` now, rather than after a game, where no way to another is known."""
        _ = self.way

    def new_game(self, final: Board) -> View:
        """Ask for a new game and wait for its board to take the place of the ``final`` one.

        A window nobody clicked yet is clicked first, on an open tile of its finished board, so
        that the keys reach it. Raises `UsageError` when nobody said how, `WindowStuck` when no
        new board comes, and what `Sight.wait_board` raises.
        """
        ask = self._request()
        dialog = self.dialog_keys(may_win=True, may_lose=True)
        for attempt in range(self._limits.retries + 1):
            try:
                view = self._sight.wait_board(dialog=dialog)
            except (WindowTrouble, Unreadable) as trouble:
                raise self.explained(trouble) from trouble
            if begun_anew(final, view) and (fresh := self._sight.wait_fresh(final, dialog=dialog)):
                return fresh
            if not self._hand.has_clicked:
                self._focus(view)
            if attempt:
                # A dialog may stand beside the board, unseen, and swallow the key.
                for keys in dialog:
                    self._hand.press(keys)
            ask(view)
            fresh = self._sight.wait_fresh(final, dialog=dialog)
            if fresh is not None:
                return fresh
        raise WindowStuck(
            f"The window does not start a new game on {self.way!r}: name its key or place with "
            "--new-game."
        )

    def _focus(self, view: View) -> None:
        """Click a tile where a click means nothing any more."""
        plain = np.argwhere(~view.board.covered)
        if len(plain):
            row, col = plain[0].tolist()
            self._hand.click(self._eye.point(view.frame, Cell(row, col)))

    def _request(self) -> Callable[[View], None]:
        """Return what asks the program for a new game."""
        way = self.way
        if way == "face":
            return lambda view: self._hand.click(self._face(view))
        if "," in way:
            return lambda _: self._hand.click(screen_point(way))
        return lambda _: self._hand.press(way)

    def _face(self, view: View) -> ScreenPoint:
        """Return where the face is: the theme knows, or it was found and looks as it did."""
        if self.handling.face is not None:
            grid, (across, tiles) = self._eye.watch.local.grid, self.handling.face
            x, y = grid.x0 + across * grid.cols * grid.tile_w, grid.y0 + tiles * grid.tile_h
            return view.frame.to_screen(PixelPoint(x, y))
        face = self._eye.watch.reader.face
        if face.centre is None:
            raise UsageError(
                "There is no face above this board to click: use --new-game KEY or X,Y."
            )
        if not face.familiar(view.frame):
            raise WindowCovered("Something lies over the face above the board: move it away.")
        return view.frame.to_screen(face.centre)


def screen_point(text: str) -> ScreenPoint:
    """Read ``X,Y``. Raises `UsageError`."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"A place on the screen is X,Y in whole numbers, not {text!r}.") from error
    return ScreenPoint(x, y)
