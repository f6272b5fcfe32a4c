"""Pages in a browser that dim or cover their finished board, or open it in other ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import random_pages
from tests.live.conftest import require_chromium
from tests.live.desk import Desk
from tests.live.webpage import Page, opened, own_page, play


def check_result(page: Page) -> None:
    """Play one game; the reported result must be that of the page."""
    page.new_game()
    code, reported, said = play(page, "--agent", "tank")
    assert code == 0, said
    assert reported == [page.state]


@pytest.mark.parametrize("look", ["emoji", "round", "corner"])
def test_the_end_of_a_page_is_reported_and_its_card_is_not_clicked(desk: Desk, look: str) -> None:
    require_chromium(emoji=look == "emoji")
    with opened(desk, own_page(look, end="card")) as page:
        check_result(page)
        assert page.js("game.overlayClicks()") == 0


def test_the_words_of_a_page_show_the_end_if_nothing_else_is_in_sight(desk: Desk) -> None:
    """Nearly all games with so many mines are lost; a win often follows from the last clicks."""
    require_chromium()
    with opened(desk, own_page("flat", end="words", size=(9, 10, 26))) as page:
        check_result(page)
        assert page.js("game.overlayClicks()") == 0


@pytest.mark.parametrize("look", ["flat", "night"])
def test_a_page_that_opens_only_the_zeros_around_a_zero_is_played(desk: Desk, look: str) -> None:
    require_chromium()
    with opened(desk, own_page(look, zeros=True)) as page:
        check_result(page)


def test_a_page_that_looks_once_a_frame_whether_the_button_is_down_is_played(desk: Desk) -> None:
    """As games do that run in a loop: most clicks of the bot are shorter than a frame."""
    require_chromium()
    with opened(desk, own_page("flat", polled=True)) as page:
        check_result(page)


@pytest.mark.parametrize("end", ["flags", "clock"])
def test_a_clock_that_runs_on_asks_for_flags_even_if_the_mine_total_is_unknown(
    desk: Desk, end: str
) -> None:
    """A page whose clock never stops takes no flags once its game is won."""
    require_chromium()
    with opened(desk, own_page("flat", end=end, size=(10, 10, 8))) as page:
        check_result(page)


@pytest.mark.parametrize("end", ["quiet", "menu"])
def test_a_flag_is_tried_where_nothing_shows_the_end(desk: Desk, end: str) -> None:
    """One page wants all mines flagged; the other takes no flags, and its browser opens a menu."""
    require_chromium()
    with opened(desk, own_page("flat", end=end, size=(10, 10, 8))) as page:
        check_result(page)


@pytest.mark.parametrize(("seed", "left"), [(5, 1)])
def test_a_page_that_counts_lives_is_played_on(desk: Desk, seed: int, left: int) -> None:
    require_chromium()
    with opened(desk, own_page("flat", end="lives", size=(10, 10, 22), seed=seed)) as page:
        check_result(page)
        assert page.js("game.lives()") == left


def test_the_button_that_a_person_named_starts_the_next_game(desk: Desk) -> None:
    require_chromium()
    with opened(desk, own_page("flat", end="card")) as page:
        page.new_game()
        x, y, wide, high = page.grid()
        middle = f"{round(x + 4.5 * wide)},{round(y + 4.5 * high)}"
        code, reported, said = play(page, "--agent", "tank", "--games", "2", "--new-game", middle)
        assert code == 0, said
        assert len(reported) == 2
        assert reported[-1] == page.state


def test_no_click_is_a_drag(desk: Desk) -> None:
    """A pointer that moves on before its button is up opens nothing, and selects text."""
    require_chromium()
    with opened(desk, own_page("flat", size=(16, 16, 40))) as page:
        check_result(page)
        assert page.js("game.presses()") > 0
        assert page.js("game.drags()") == 0


def test_a_page_that_was_drawn_by_chance_is_played_to_its_end(tmp_path: Path) -> None:
    """Its number chooses the look; `tests/bench/random_pages.py` plays any others."""
    require_chromium(emoji=True)
    assert random_pages.play(1005, tmp_path / "session") in ("won", "lost")
