"""One self-contained HTML page of a recorded game, and an index page of several."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from math import isnan
from typing import Any

import cv2
import numpy as np
from jinja2 import Environment, FunctionLoader, select_autoescape
from markupsafe import Markup

from bot.errors import BadSession
from bot.record.games import RecordedTurn, agent_of
from bot.record.mistakes import JudgedGame, JudgedTurn
from bot.record.places import grid_in
from bot.record.session import Session
from bot.record.statistics import facts_of_game
from solver.counting import counted
from solver.proof import explain, prove

MOST_BYTES = 3_000_000
"""Largest page: what one attaches to a message without a thought."""

QUALITIES = (60, 40, 25, 12)
"""WebP qualities tried in turn until all pictures fit. At 60 the tiles of a 16x30 board of
`gnome-mines` take 9 to 14 KB a picture."""

WIDEST_PX = 1100
"""Pictures are scaled down to this width; a page shows them no wider."""

MOST_PROOFS = 6
"""Certain cells of a turn whose proofs the page says."""

INDEX_COLUMNS = (
    *((name, name) for name in ("session", "date", "result")),
    *((name, name) for name in ("turns", "guesses", "chance", "mistakes")),
    ("cause", "why it was lost"),
)
"""The columns of the index beside the game itself: the key of a row, and the head."""

UNREAD_END_NOTE = "The last board could not be read: this is the board before the last turn."

Line = Mapping[str, Any]
"""A line of a session."""


@dataclass(frozen=True)
class Page:
    """What a page is called, and its HTML."""

    title: str
    html: str


def build_page(session: Session, judged: JudgedGame) -> Page:
    """Draw a game as one HTML page of at most `MOST_BYTES`.

    A frame that is missing or cannot be read leaves its turn without a picture. Raises
    `BadSession` for a game without a turn.
    """
    game = judged.game
    if not judged.turns:
        raise BadSession(f"Game {game.number} of the session has no turn to show.")
    title = f"{game.program}, game {game.number}: {game.result}"
    steps = [(turn.turn.step, turn.turn.place) for turn in judged.turns]
    if game.end is not None:
        steps.append((game.end, game.place))
    pictures = _pictures(session, steps, MOST_BYTES - 400_000)
    final = None if game.end is None else _final(judged, pictures.pop())
    data = {
        "turns": [
            _turn(turn, picture) for turn, picture in zip(judged.turns, pictures, strict=True)
        ],
        "mistakes": [
            {
                "turn": _position(judged, one.turn),
                "text": str(one),
            }
            for one in judged.mistakes
        ],
        "final": final,
        "end": _end(judged),
        "result": game.result,
    }
    html = _render(
        "review.html.j2",
        title=title,
        summary=_summary(session, judged),
        figures=_figures(session, judged),
        pictures=any(pictures) or (final is not None and final["picture"] is not None),
        style=Markup(_text("review.css")),
        script=Markup(_text("review.js")),
        data=Markup(_script_json(data)),
    )
    return Page(title, html)


def build_index(pages: Sequence[tuple[str, JudgedGame, str, str]]) -> str:
    """Draw the index of several pages: each ``(file name, game, session, date)``."""
    rows = [
        {
            "href": name,
            "session": session,
            "date": date,
            "program": judged.game.program,
            "game": judged.game.number,
            "result": judged.game.result,
            "turns": len(judged.turns),
            "guesses": sum(turn.guess and not turn.turn.retry for turn in judged.turns),
            "chance": f"{100 * judged.chance:.1f} %",
            "mistakes": len(judged.mistakes),
            "cause": judged.cause,
        }
        for name, judged, session, date in pages
    ]
    style = Markup(_text("review.css"))
    games = counted(len(rows), "game")
    return _render("index.html.j2", games=games, rows=rows, columns=INDEX_COLUMNS, style=style)


def _render(template: str, **values: Any) -> str:
    environment = Environment(
        loader=FunctionLoader(_text), autoescape=select_autoescape(default=True)
    )
    return environment.get_template(template).render(**values)


def _script_json(data: Any) -> str:
    """Write JSON that cannot end the script element it stands in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _text(name: str) -> str:
    return (resources.files("bot.record") / "templates" / name).read_text(encoding="utf-8")


def _turn(judged: JudgedTurn, picture: str | None) -> dict[str, Any]:
    """Describe a turn for the page's script."""
    turn, board = judged.turn, judged.turn.board
    proofs = _proofs(judged)
    move_cells = [move.cell for move in turn.decision.moves]
    mistakes = "; ".join(map(str, judged.mistakes))
    return {
        "number": turn.number,
        "board": board.text_rows(),
        "risks": _risks(judged),
        "moves": [list(cell) for cell in move_cells],
        "best": [list(one.best) for one in judged.mistakes if one.best],
        "decision": _decision(judged),
        "reason": _reason(judged),
        "proofs": proofs,
        "guess": judged.guess,
        "win": judged.win,
        "mistake": f"Mistake: {mistakes}." if mistakes else None,
        "candidates": [
            {
                "cell": list(one.cell),
                "survival": one.survival,
                "win": one.win,
                "opens": one.opens_area,
                "numbers": [round(chance, 3) for chance in one.numbers],
                "chosen": one.cell in move_cells,
            }
            for one in judged.candidates
        ],
        "clicks": _clicks(turn),
        # The clock of a simulated window stands still while the bot works, and a person has none.
        "ms": ms if (ms := turn.step.get("ms")) and ms.get("read") else None,
        "notes": list(turn.notes),
        "picture": picture,
    }


def _final(judged: JudgedGame, picture: str | None) -> dict[str, Any]:
    """Describe the end as the page's script expects a turn.

    Where the last board could not be read, that of the last turn stands for it, and a note says so.
    """
    board = judged.game.final
    notes = [] if board is not None else [UNREAD_END_NOTE]
    board = judged.turns[-1].turn.board if board is None else board
    return {
        "final": True,
        "board": board.text_rows(),
        "risks": None,
        "moves": [],
        "best": [],
        "decision": _end(judged),
        "reason": "",
        "proofs": [],
        "guess": False,
        "win": None,
        "mistake": None,
        "candidates": [],
        "clicks": "",
        "ms": None,
        "notes": notes,
        "picture": picture,
    }


def _risks(judged: JudgedTurn) -> list[list[float | None]] | None:
    """Return the risks of covered cells, three decimals, None on open cells."""
    if judged.analysis is None:
        return None
    rounded = np.round(judged.analysis.probabilities, 3)
    return [[None if isnan(value) else value for value in row] for row in rounded.tolist()]


def _proofs(judged: JudgedTurn) -> list[dict[str, Any]]:
    """Say why the first certain cells of a turn are certain, or what was better than a risk."""
    board = judged.turn.board
    if judged.analysis is None:
        return []
    better = [one.best for one in judged.mistakes if one.best is not None]
    lines = []
    for cell in better if judged.guess else judged.opened[:MOST_PROOFS]:
        proof = prove(board, cell)
        if proof is not None:
            lines.append(
                {
                    "cell": list(cell),
                    "text": explain(board, proof),
                    "numbers": [list(number) for number in proof.numbers],
                }
            )
    return lines


def _decision(judged: JudgedTurn) -> str:
    """Say a turn's decision in one sentence."""
    decision = judged.turn.decision
    if not decision.moves:
        return f"No move: {decision.reason}."
    first, more = decision.moves[0], len(decision.moves) - 1
    others = f" and {more} more" if more else ""
    chance = f" It survives {100 * judged.survival:.1f} % of the time." if judged.guess else ""
    again = " It was sent again." if judged.turn.retry else ""
    return f"{first.words(judged.turn.board)}{others}.{chance}{again}"


def _reason(judged: JudgedTurn) -> str:
    """Say what the player gave as the reason, or what is wrong with the board."""
    if judged.analysis is None:
        return "The board as read cannot be analysed: no layout of mines fits it, or too many do."
    return f"{judged.turn.decision.reason[:1].upper()}{judged.turn.decision.reason[1:]}."


def _clicks(turn: RecordedTurn) -> str:
    if (at_s := turn.at_s) is not None:
        cell, button = turn.clicks[0]
        return f"After {at_s:.2f} s: {cell.place} ({button})."
    if not turn.clicks:
        return "No click was sent by the bot."
    named = "; ".join(f"{cell.place} ({button})" for cell, button in turn.clicks[:8])
    more = f" and {len(turn.clicks) - 8} more" if len(turn.clicks) > 8 else ""
    return f"{len(turn.clicks)} sent: {named}{more}."


def _position(judged: JudgedGame, number: int) -> int:
    """Return where a turn stands on the page, counted from 1."""
    return next(at for at, turn in enumerate(judged.turns, start=1) if turn.turn.number == number)


def _summary(session: Session, judged: JudgedGame) -> str:
    header, agent = session.header, agent_of(session)
    turns = judged.turns
    first = turns[0].turn.board if turns else None
    mines = counted(first.mines, "mine") if first and first.mines is not None else "unknown mines"
    size = f"{first.rows}x{first.cols} with {mines}" if first else ""
    guesses = sum(turn.guess and not turn.turn.retry for turn in turns)
    started = str(header.get("started", ""))[:16].replace("T", " ")
    survived = f", all of which survive with a chance of {100 * judged.chance:.1f} %"
    return (
        f"{size}, played by {agent}, {started}. {counted(len(turns), 'turn')}, "
        f"{counted(guesses, 'guess', 'guesses')}{survived if guesses else ''}; "
        f"{counted(len(judged.mistakes), 'mistake')}."
    )


def _figures(session: Session, judged: JudgedGame) -> str:
    """Say how much the game asked for, how fast it was played and with how many clicks.

    Only a game that was won has a speed and an efficiency: the 3BV of the others is not solved.
    """
    facts = facts_of_game(judged.game, agent_of(session))
    told = "" if facts.bv is None else f"3BV {facts.bv}; "
    told += counted(facts.clicks, "click")
    if facts.seconds:
        told += f" in {facts.seconds:.1f} s"
    if facts.bv and facts.result == "won" and facts.clicks:
        told += f"; efficiency {100 * facts.bv / facts.clicks:.0f} % (3BV a click)"
        told += f", {facts.bv / facts.seconds:.2f} 3BV a second" if facts.seconds else ""
    return f"{told}."


def _end(judged: JudgedGame) -> str:
    return " ".join([judged.game.ending, judged.cause, *judged.game.notes]).strip()


def _pictures(
    session: Session, steps: Sequence[tuple[Line, Line | None]], room: int
) -> list[str | None]:
    """Encode the board of every step as a data address, together at most ``room`` bytes.

    A step comes with the line that says where the board lay.
    """
    crops = [_crop(session, step, place) for step, place in steps]
    encoded: list[bytes | None] = []
    for quality in QUALITIES:
        encoded = [None if crop is None else _webp(crop, quality) for crop in crops]
        if sum(len(data) * 4 // 3 for data in encoded if data) <= room:
            break
    return [
        None if data is None else f"data:image/webp;base64,{base64.b64encode(data).decode()}"
        for data in encoded
    ]


def _crop(
    session: Session, step: Line, place: Line | None
) -> np.ndarray[Any, np.dtype[np.uint8]] | None:
    """Cut the board with half a tile around it out of a step's frame."""
    try:
        frame = session.frame(step)
    except BadSession:
        return None
    if place is None:
        return frame.pixels
    grid = grid_in(frame, place)
    pad_x, pad_y = grid.tile_w / 2, grid.tile_h / 2
    left, top = max(0, round(grid.x0 - pad_x)), max(0, round(grid.y0 - pad_y))
    right = round(grid.x0 + grid.cols * grid.tile_w + pad_x)
    bottom = round(grid.y0 + grid.rows * grid.tile_h + pad_y)
    crop = frame.pixels[top:bottom, left:right]
    if crop.size == 0:
        return frame.pixels
    if crop.shape[1] > WIDEST_PX:
        size = (WIDEST_PX, max(1, round(crop.shape[0] * WIDEST_PX / crop.shape[1])))
        crop = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    return crop


def _webp(pixels: np.ndarray[Any, np.dtype[np.uint8]], quality: int) -> bytes:
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, quality])
    return bytes(np.asarray(data))
