"""Programs that want all mines flagged once all safe cells are open."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bot.errors import WindowStuck
from bot.events import Noticed, Turn
from bot.mouse.plan import flag_the_mines
from bot.tracking.game import Observation
from bot.tracking.stage import PlayStage
from bot.tracking.target import shows_more
from bot.tracking.tracker import EndWords
from bot.tracking.waits import Waits
from calibration.theme import LEARNED, Theme
from calibration.verdict import NO_FLAGS
from solver.agents.base import Decision
from solver.board import Board
from solver.game import Status

NO_FLAGS_HERE = (
    "All else is open, but the clock beside the board runs on, and a right click opens a menu: "
    "mark the mines by hand, or start a new game."
)

TRIAL_PATIENCE = 16
"""How many times longer the first flag may go unanswered: a page that is frozen for 2 to 8 s takes
it late, and a second right click would take it away."""


class LastFlags:
    """Whether the last mines have to be flagged, and whether the program takes the flags.

    ``wanted`` is what the profile of a known program says. For an unknown program it is None until
    a first end has shown it: by a clock that keeps running, or since nothing but the last cells
    changed, or because a kept look says that it was so before. Then one flag is tried first; if it
    is gone when all are set, it was the frame around the tile under the pointer.
    """

    def __init__(self, stage: PlayStage, waits: Waits, words: EndWords) -> None:
        self._tracker, self._observer, self._limits = stage.tracker, stage.observer, stage.limits
        self._waits, self._words = waits, words
        self.wanted: bool | None = None
        self._before = False
        self._by_clock = self._tried = False
        self.on_trial = False

    def use_profile(self, theme: Theme) -> None:
        """Use what is known of the program of a theme."""
        known = theme.program != LEARNED
        self.wanted = theme.profile.flags_to_win if known else None
        self._before = theme.profile.flags_to_win and not known
        self._by_clock = self._tried = False

    def ask(self, observation: Observation, turn: Turn | None) -> bool:
        """Whether mines have to be flagged that are hidden after ``turn``, as all else is open."""
        if turn and self._tried and turn.reading.board.flags and not observation.board.flags:
            self._observer(Noticed(NO_FLAGS.reason))
            self.wanted = self._before = self._by_clock = self._tried = False
        if self.wanted is None:
            # Words that move, as those of a win do, look like a clock that runs.
            said = self._words.read() if turn else None
            if said is not None and said.status is Status.WON:
                self.wanted = False
                return False
            self._by_clock = not self._before and self.clock_runs(turn)
            self.wanted = self._before or self._by_clock or self._shows_no_end(observation, turn)
            self._tried = self.on_trial = self.wanted
            if self._before or self._by_clock:
                self._observer(
                    Noticed("This program wants all mines flagged at the end of a game.")
                )
        return self.wanted

    def clock_runs(self, turn: Turn | None) -> bool:
        """Whether a clock runs on beside the board: the program may want all mines flagged.

        It stood there before ``turn``, the last one.
        """
        return self._waits.wait_running_clock(self._limits.clock_s, turn.frame if turn else None)

    def runs_on(self, turn: Turn | None) -> bool:
        """Whether a clock that asked for flags runs on though all mines are marked.

        A card that comes up, or a list of the best times, moves for some seconds.
        """
        return self._by_clock and self.clock_runs(turn) and self.clock_runs(turn)

    def _shows_no_end(self, observation: Observation, turn: Turn | None) -> bool:
        """Whether no mine looks different, and nothing beside the board says an end.

        A smiley may look different whenever a cell is opened.
        """
        if turn is None:
            return False
        frames, boards = (turn.frame, observation.frame), (turn.reading.board, observation.board)
        more = partial(shows_more, self._tracker.target, *frames, *boards)
        return not (more() and (more(hidden_only=True) or self._words.read()))

    def decide(self, board: Board) -> Decision:
        """Decide to flag the last mines: one, until it has shown whether the program takes it."""
        self.on_trial &= not board.flags
        decision = flag_the_mines(board)
        return replace(decision, moves=decision.moves[:1]) if self.on_trial else decision

    def patience(self, unchanged_turns: int) -> int:
        """Return how many times longer than usual an answer is waited for, twice as long a turn."""
        return TRIAL_PATIENCE if self.on_trial and not unchanged_turns else 2**unchanged_turns

    def refused(self, *, all_tried: bool) -> bool:
        """Whether the last mines take no flags: the one on trial, or ``all_tried`` beside a clock.

        Then the game was won when the last safe cell was opened, though the clock runs on.
        """
        if not (self.on_trial or (self._by_clock and all_tried)):
            return False
        self.wanted = self._before = self._by_clock = self.on_trial = False
        return True

    def close_menu(self) -> None:
        """Close what the flag on trial opened: a right click is nothing to this program.

        Raises `WindowStuck` if a clock asks for flags all the same.
        """
        self._waits.close_menu()
        if self._by_clock:
            raise WindowStuck(NO_FLAGS_HERE)
