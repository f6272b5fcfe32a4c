"""The review of a recorded expert game, opened in a real browser."""

import json
import re
import time
from typing import Any

import pytest

from solver.analysis import analyse
from solver.board import Board
from tests.live.browser import headless
from tests.live.command import lines_of, run_bot
from tests.live.conftest import open_game, require_chromium
from tests.live.match import play
from tests.live.session import wait_until

MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def browser():
    require_chromium()
    with headless() as running:
        yield running


def test_the_page_of_a_real_program(desk, browser, session):
    match = play(open_game(desk, "xdemineur", "expert"), 1, session, limit_s=120)
    assert match.exit_code == 0, match.output
    check_page(browser, session, match.results[0]["result"], "xdemineur")


def test_the_page_of_the_simulated_window(browser, session, tmp_path):
    words = ("play", "--screen", "sim", "--size", "expert", "--seed", "4", "--record", session)
    run_bot(*words, check=True)
    check_page(browser, session, "lost", "")
    check_mistakes(browser, with_mistakes(session, tmp_path / "worse"))
    check_index(browser, [session, tmp_path / "worse"], tmp_path / "pages")


@pytest.mark.parametrize("result", ["won", "lost"])
def test_without_chances_to_win_no_line_is_drawn(browser, result, tmp_path):
    """The mine total is unknown; the last turn opens a certain mine."""
    boards = ["1##", "###", "###"], ["1#1", "###", "1##"], ["1#1", "111", "000"]
    opened = (0, 2), (2, 0), (0, 1)
    lines: list[dict[str, Any]] = [{"kind": "session", "version": 1}]
    for number, (rows, cell) in enumerate(zip(boards, opened, strict=True), start=1):
        decision = {"moves": [["open", *cell]], "reason": "by hand", "survival": 1.0, "win": None}
        turn = {"kind": "turn", "game": 1, "turn": number, "board": rows, "mines": None}
        lines.append({**turn, "decision": decision, "clicks": [], "retry": False})
    write_lines(tmp_path, [*lines, {"kind": "game", "game": 1, "result": result}])
    page, data = review(tmp_path)
    assert {turn["win"] for turn in data["turns"]} == {None}
    browser.resize(1280, 720)
    browser.open(page, "#turn=2")
    assert not browser.shown("chart")
    assert browser.shown("no-chart")
    assert browser.count("#chart .point") == 0
    assert "Turn 3" in browser.text("mistakes")
    assert "chance to win" not in browser.text("mistakes")
    assert browser.complaints() == []


def write_lines(folder, lines):
    folder.mkdir(exist_ok=True)
    (folder / "session.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def review(session):
    """Make the page of a session; return it and its data."""
    run_bot("review", session, check=True)
    page = session / "review.html"
    assert page.stat().st_size <= MOST_BYTES
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
    return page, json.loads(found[1])


def check_page(browser, session, result, program):
    """Walk through a page by its keys, and compare what it shows with its data."""
    page, data = review(session)
    turns = data["turns"]
    browser.resize(1280, 720)
    browser.open(page)
    assert browser.driver.title.endswith(f"game 1: {result}")
    assert browser.driver.title.startswith(program)
    assert browser.text("position") == f"1 of {len(turns)}"
    assert browser.count("#timeline a") == len(turns) + 1  # and the end
    bottom = "return document.getElementById(arguments[0]).getBoundingClientRect().bottom"
    assert max(browser.run(bottom, name) for name in ("picture", "board")) <= 720

    browser.press("right")
    for key, at in (("right", 2), ("left", 1)):
        browser.press(key)
        check_turn(browser, turns, at)
    browser.open(page, f"#turn={len(turns)}")
    check_turn(browser, turns, len(turns) - 1)
    browser.press("right")
    assert browser.text("position") == "the end"
    assert browser.text("board-text").split("\n") == data["final"]["board"]
    assert result in browser.text("decision")

    check_guesses(browser, page, turns)
    browser.press("left")
    fills = "return [...document.querySelectorAll('#board rect')].map(r => r.getAttribute('fill'))"
    warm = browser.run(fills)
    browser.press("h")
    assert browser.run(fills) != warm, "the heat map goes"
    browser.press("h")
    assert browser.run(fills) == warm
    check_proofs(browser, page, turns)
    assert browser.count("#chart .point") >= sum(turn["win"] is not None for turn in turns)

    browser.open(page)
    browser.press("p")
    wait_until(lambda: browser.text("position").startswith("3 of"), 5, "the page to play")
    browser.press("p")
    stopped = browser.text("position")
    time.sleep(0.8)
    assert browser.text("position") == stopped
    check_sizes_and_colours(browser, page)
    check_paper(browser, page)
    assert browser.complaints() == []
    assert browser.requests() == []


def check_turn(browser, turns, index):
    turn = turns[index]
    assert browser.text("position") == f"{index + 1} of {len(turns)}"
    assert browser.driver.current_url.endswith(f"#turn={index + 1}")
    assert browser.text("decision") == turn["decision"]
    assert browser.text("board-text").split("\n") == turn["board"]
    loaded = "const p = document.getElementById('picture'); return p.complete && p.naturalWidth"
    wait_until(lambda: browser.run(loaded) > 100, 5, "the picture")
    assert browser.count("#candidates tbody tr") == len(turn["candidates"])
    assert browser.shown("candidates") == bool(turn["candidates"])
    assert browser.count("#timeline a[aria-current]") == 1


def check_guesses(browser, page, turns):
    """Go down and up through the guesses, and look at the first candidates on a phone.

    All columns are in sight there, and no row is stretched by a narrow column.
    """
    guesses = [at for at, turn in enumerate(turns) if turn["guess"]]
    browser.open(page)
    for at in guesses[:2]:
        browser.press("down")
        check_turn(browser, turns, at)
        assert browser.count("#candidates tr.chosen") == 1
    if len(guesses) > 1:
        browser.press("up")
        check_turn(browser, turns, guesses[0])
    candidates = next((at for at, turn in enumerate(turns) if turn["candidates"]), None)
    if candidates is not None:
        browser.resize(390, 844)
        browser.open(page, f"#turn={candidates + 1}")
        boxes = browser.run(
            "return [...document.querySelectorAll('#candidates tbody :is(tr, td)')]"
            ".map(part => part.getBoundingClientRect()).map(box => [box.right, box.height])"
        )
        assert max(right for right, _ in boxes) <= 390
        assert max(height for _, height in boxes) < 100
        browser.resize(1280, 720)


def check_proofs(browser, page, turns):
    """Step through the proofs of a turn by key and by click; each is drawn on the board."""
    several = next((at for at, turn in enumerate(turns) if len(turn["proofs"]) > 1), None)
    if several is None:
        return
    browser.open(page, f"#turn={several + 1}")
    proofs = turns[several]["proofs"]
    assert browser.count("#why button") == len(proofs)
    pressed = (
        "return [...document.querySelectorAll('#why button')]"
        ".findIndex(b => b.getAttribute('aria-pressed') === 'true')"
    )
    for at in (0, 1, 0):
        assert browser.run(pressed) == at
        dashed = browser.count("#board rect[stroke-dasharray='4 2']")
        assert dashed == len(proofs[at]["numbers"])
        if at:
            browser.run("document.querySelector('#why button').click()")
        else:
            browser.press("w")


def check_sizes_and_colours(browser, page):
    """Nothing is wider than the screen, and dark colours are dark."""
    wide = "return document.documentElement.scrollWidth > innerWidth"
    ground = "return getComputedStyle(document.body).backgroundColor"
    browser.scheme("dark")
    browser.resize(390, 844)
    browser.open(page)
    assert not browser.run(wide)
    tile = "return document.querySelector('#board rect').getBoundingClientRect().width"
    assert browser.run(tile) >= 15, "the numbers of a wide board can be read on a phone"
    assert browser.run(ground) == "rgb(21, 23, 26)"
    browser.scheme("light")
    browser.resize(1280, 720)
    assert not browser.run(wide)
    assert browser.run(ground) == "rgb(255, 255, 255)"


def check_paper(browser, page):
    """A page that is dark on the screen prints in the light colours, and says which turn it is."""
    colours = (
        "return [...document.querySelectorAll('h1, h2, p, #board text, #board rect, #chart text')]"
        ".map(part => [getComputedStyle(part).color, part.getAttribute('fill')])"
    )
    browser.open(page, "#turn=2")
    light = browser.run(colours)
    browser.scheme("dark")
    assert browser.run(colours) != light
    browser.scheme("dark", "print")
    wait_until(lambda: browser.run(colours) == light, 5, "the light colours on paper")
    assert browser.shown("position")
    assert not browser.shown("timeline")
    whole = "return getComputedStyle(document.querySelector('section')).breakInside"
    assert browser.run(whole) == "avoid"
    browser.scheme("light")


def with_mistakes(session, folder):
    """Copy a session up to two turns whose moves are changed: each opens a certain mine."""
    lines, planted = [], 0
    for line in lines_of((session / "session.jsonl").read_text()):
        if line["kind"] == "turn" and planted < 2:
            mines = analyse(Board.from_text("\n".join(line["board"]), line["mines"])).mines
            if mines:
                line["decision"]["moves"] = [["open", *mines[0]]]
                planted += 1
        elif line["kind"] == "turn":
            continue
        lines.append(line)
    return write_lines(folder, lines)


def check_mistakes(browser, session):
    """Go to the mistakes by key and by link; a page without frames still shows all else."""
    page, data = review(session)
    wrong = [at for at, turn in enumerate(data["turns"]) if turn["mistake"]]
    assert len(wrong) >= 2
    browser.open(page)
    assert not browser.shown("picture")
    assert browser.shown("no-picture")
    browser.open(page, "#turn=1")  # it opens at the worst mistake
    for at in (*wrong, wrong[0]):  # after the last the first again
        browser.press("m")
        assert browser.driver.current_url.endswith(f"#turn={at + 1}")
        assert "certainly a mine" in browser.text("mistake")
    heights = browser.run(
        "return [...document.querySelectorAll('#chart path.point')]"
        ".map(mark => Number(mark.getAttribute('d').match(/^M\\S+ (\\S+?)l/)[1]))"
    )
    assert len(heights) == len(wrong)
    assert min(heights) < 150, "they stand on the line, not at its foot"
    browser.run("document.querySelector('#mistakes a').click()")
    assert browser.shown("mistake")
    assert browser.complaints() == []
    assert browser.requests() == []


def check_index(browser, sessions, pages):
    run_bot("review", *sessions, "-o", pages, check=True)
    browser.open(pages / "index.html")
    assert browser.count("tbody tr") == 2
    for width in (500, 1280):
        browser.resize(width, 720)
        hidden = "const s = document.querySelector('section'); return s.scrollWidth - s.clientWidth"
        assert browser.run(hidden) == 0, width
    browser.run("document.querySelector('tbody a').click()")
    wait_until(lambda: browser.driver.title.endswith("game 1: lost"), 5, "the page of the game")
    assert browser.complaints() == []
