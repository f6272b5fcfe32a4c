"""How the simulated program behaves, and the faults that its desktop can simulate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Behaviour:
    """How the program behaves; by default it is a plain, quick one.

    A change shows ``latency_s`` after its click; an opening spreads from the clicked cell, each
    ring of cells ``ripple_s`` after the one inside it, and a dialog ``dialog_s`` after the end of a
    game. ``question_marks``: a right click on a flag
    makes it a question mark. ``win_dialog`` and ``loss_dialog`` cover the board until a key closes
    them; ``loss_bubble`` is a translucent note over the board for a while; ``win_flash`` inverts
    the board a few times; ``end_overlay`` dims the finished board, as many pages do, and lays a
    card with a button over it that starts a new game; ``restart_s`` after an end a new game begins
    by itself. Without ``shows_mines`` a lost board shows only the exploded mine; without
    ``flags_on_win`` the mines of a won board stay hidden, and with ``mines_on_win`` they are shown
    as mines.
    """

    latency_s: float = 0.03
    ripple_s: float = 0.004
    dialog_s: float = 0.25
    question_marks: bool = False
    win_dialog: bool = False
    loss_dialog: bool = False
    loss_bubble: bool = False
    win_flash: bool = False
    end_overlay: bool = False
    restart_s: float | None = None
    shows_mines: bool = True
    flags_on_win: bool = True
    mines_on_win: bool = False


@dataclass(frozen=True)
class Faults:
    """Faults of a desktop; by default it has none.

    ``drop_every`` and ``double_every``: every nth click is lost, or arrives twice (0: none).
    ``repaint_s``: every change shows so many seconds later. ``hover``: a hidden tile becomes
    lighter under the pointer; with ``hover_stays`` the nearest one does once the pointer has
    left the board. Clicks that hold the button for less than ``least_hold_s`` are lost, as where a
    program looks once a frame whether it is down. ``counter_error`` is added to the number on the
    mine counter; with ``counter_absent`` there is no mine counter.
    """

    drop_every: int = 0
    double_every: int = 0
    repaint_s: float = 0.0
    hover: bool = False
    hover_stays: bool = False
    least_hold_s: float = 0.0
    counter_error: int = 0
    counter_absent: bool = False

    def deliveries(self, number: int) -> int:
        """Return how many times click ``number``, counted from 1, reaches the window."""
        if self.drop_every and number % self.drop_every == 0:
            return 0
        return 2 if self.double_every and number % self.double_every == 0 else 1
