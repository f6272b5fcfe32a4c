"""Pages in a browser that dim or cover their finished board, or open it in other ways."""

import pytest

from tests.bench import random_pages
from tests.live.conftest import require_chromium
from tests.live.webpage import opened, own_page, play


def check_result(page):
    """Play one game; the reported result must be that of the page."""
    page.new_game()
    code, reported, said = play(page, "--agent", "tank")
    assert code == 0, said
    assert reported == [page.state]


WAYS = {
    **{f"card-{look}": own_page(look, end="card") for look in ("emoji", "round", "corner")},
    # Nearly all games with so many mines are lost; a win often follows from the last clicks.
    "words": own_page("flat", end="words", size=(9, 10, 26)),
    "zeros-flat": own_page("flat", zeros=True),
    "zeros-night": own_page("night", zeros=True),
    # As games do that run in a loop: most clicks of the bot are shorter than a frame.
    "looks once a frame whether the button is down": own_page("flat", polled=True),
    # A page whose clock never stops takes no flags once its game is won; of two pages where nothing
    # shows the end, one wants all mines flagged, and the browser of the other opens a menu.
    **{
        end: own_page("flat", end=end, size=(10, 10, 8))
        for end in ("flags", "clock", "quiet", "menu")
    },
}
"""Pages whose end is shown in other ways, or that open their cells in other ways."""


@pytest.mark.parametrize("game", WAYS.values(), ids=WAYS)
def test_the_end_of_a_page_is_reported_and_its_card_is_not_clicked(desk, game):
    require_chromium(emoji="emoji" in game.name)
    with opened(desk, game) as page:
        check_result(page)
        assert page.js("game.overlayClicks()") == 0


def test_a_page_that_counts_lives_is_played_on(desk):
    require_chromium()
    with opened(desk, own_page("flat", end="lives", size=(10, 10, 22), seed=5)) as page:
        check_result(page)
        assert page.js("game.lives()") == 1


def test_the_button_that_a_person_named_starts_the_next_game(desk):
    require_chromium()
    with opened(desk, own_page("flat", end="card")) as page:
        page.new_game()
        x, y, wide, high = page.grid()
        middle = f"{round(x + 4.5 * wide)},{round(y + 4.5 * high)}"
        code, reported, said = play(page, "--agent", "tank", "--games", "2", "--new-game", middle)
        assert code == 0, said
        assert len(reported) == 2
        assert reported[-1] == page.state


def test_no_click_is_a_drag(desk):
    """A pointer that moves on before its button is up opens nothing, and selects text."""
    require_chromium()
    with opened(desk, own_page("flat", size=(16, 16, 40))) as page:
        check_result(page)
        assert page.js("game.presses()") > 0
        assert page.js("game.drags()") == 0


def test_a_page_that_was_drawn_by_chance_is_played_to_its_end(session):
    """Its number chooses the look; `tests/bench/random_pages.py` plays any others."""
    require_chromium(emoji=True)
    assert random_pages.play(1005, session) in ("won", "lost")
