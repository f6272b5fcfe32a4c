"""`minebot watch` looks on while a script plays real programs and makes mistakes on purpose."""

import pytest

from tests.live.conftest import open_game
from tests.live.person import Person, Watch, compare

CASES = [
    ("xdemineur", ("needless risk", "certain mine opened"), "Ctrl-C"),
    ("sgt-mines", ("wrong flag", "certain mine opened"), "closed"),
]

MOST_GAMES = 4  # games that are played to make one mistake


@pytest.mark.parametrize(("name", "mistakes", "ending"), CASES)
def test_the_review_names_just_the_mistakes_that_were_made(name, mistakes, ending, desk, session):
    running = open_game(desk, name, "intermediate")
    person = Person(running, seed=3)
    watch = desk.enter_context(Watch(running, session))
    for made, mistake in enumerate(mistakes, start=1):
        # Not every board has a place for the mistake within a few clicks.
        for _ in range(MOST_GAMES):
            person.play(mistake, most_clicks=8)
            if person.results[-1] != "playing":
                watch.wait_reported(person.game)
            if len(person.planted) == made:
                break
    if ending == "closed":
        running.process.terminate()
    else:
        watch.interrupt()
    code, said, reviews = watch.end()
    assert code == 0, said
    assert compare(person, reviews) == ([], [])
    assert len(person.planted) == 2
    assert [review["game"] for review in reviews] == list(range(1, person.game + 1))
    assert reviews[-1]["result"] == person.results[-1] == "lost"
    assert reviews[-1]["cause"].startswith("Mistake")
    assert list(session.parent.rglob("index.html"))
    # Whatever reached the server came from the person.
    assert [(one.x, one.y) for one in watch.ledger.presses if one.button] == person.clicks
    assert sum(not one.button for one in watch.ledger.presses) == person.keys
    x, y = person.clicks[-1]
    assert desk.xdotool("getmouselocation").startswith(f"x:{x} y:{y} ")
