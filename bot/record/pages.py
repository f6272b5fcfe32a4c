"""A recorded game as one self-contained HTML page, and an index page of several games.

The pictures of the board are cut out of the frames and made small enough for a page that can be
attached to a message.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from math import isnan
from typing import Any, TypeAlias

import cv2
import numpy as np
from jinja2 import Environment, FunctionLoader, select_autoescape
from markupsafe import Markup
from numpy.typing import NDArray

from bot.errors import BadSession
from bot.record.games import JudgedGame, JudgedTurn, RecordedTurn
from bot.record.lines import FrameRef, PlaceLine, timings_json
from bot.record.session import Session, grid_in
from bot.record.statistics import facts_of_game
from bot.streams import plain
from calibration.frame import Frame
from solver.board import Board, Cell, Tile
from solver.counting import counted, percent
from solver.difficulty import efficiency_text
from solver.files import PICTURE_PIXELS
from solver.proof import explain, prove

LARGEST_PAGE = 3_000_000
"""Largest page, in bytes: small enough to attach it to a message."""

OTHER_PARTS = 100_000
"""The parts of a page apart from its turns: style, script and headings."""

MOST_CELLS = 400_000
"""Largest number of cells on all boards of a page; each takes up to nine bytes, half of that on
average. This allows 833 turns of an expert game, more than any game had."""


def build_page(session: Session, judged: JudgedGame) -> str:
    """Draw a game as one HTML page of at most `LARGEST_PAGE`.

    A frame that is missing or cannot be read leaves its turn without a picture. Raises
    `BadSession` for a game without a turn.
    """
    game = judged.game
    if not judged.turns:
        raise BadSession(f"Game {game.number} of the session has no turn to show.")
    title = f"{game.program}, game {game.number}: {game.result}"
    shown = shown_turns(judged, MOST_CELLS // judged.turns[0].turn.board.tiles.size)
    boards = [*(turn.turn.board for turn in judged.turns), game.final]
    turns = [describe_turn(judged.turns[at], boards[at + 1]) for at in shown]
    final = None if game.end is None else describe_final(judged)
    data = {
        "turns": turns,
        "mistakes": [
            {"turn": at, "text": str(one)}
            for one in judged.mistakes
            if (at := _position(judged, shown, one.turn)) is not None
        ],
        "final": final,
        "end": ending(judged),
        "result": game.result,
    }
    frames = [(judged.turns[at].turn.frame, judged.turns[at].turn.place) for at in shown]
    if game.end is not None:
        frames.append((game.end.frame, game.place))
    room = LARGEST_PAGE - OTHER_PARTS - len(script_json(data).encode())
    described = [*turns, final] if final else turns
    for turn, picture in zip(described, board_pictures(session, frames, room), strict=True):
        turn["picture"] = picture
    return render(
        "review.html.j2",
        title=title,
        summary=_summary(session, judged) + _left_out(judged, shown),
        figures=figures_text(session, judged),
        filmed=any(frame is not None for frame, _ in frames),
        data=script_json(data),
    )


def shown_turns(judged: JudgedGame, most: int) -> list[int]:
    """Return which turns are shown, counted from 0: all, or about ``most``.

    The last one, the mistakes and the guesses come first; the others are spread over the game.
    """
    turns = judged.turns
    most = max(2, most)
    if len(turns) <= most:
        return list(range(len(turns)))
    place = {turn.turn.number: at for at, turn in enumerate(turns)}
    first = [len(turns) - 1, *(place[one.turn] for one in judged.mistakes)]
    first += [at for at, turn in enumerate(turns) if turn.guess]
    chosen = dict.fromkeys(list(dict.fromkeys(first))[:most])
    spread = np.linspace(0, len(turns) - 1, most - len(chosen)).round().astype(int).tolist()
    return sorted(chosen | dict.fromkeys(spread))


def _left_out(judged: JudgedGame, shown: Sequence[int]) -> str:
    """Say how many turns are not shown, if any."""
    if len(shown) == len(judged.turns):
        return ""
    return (
        f" This page shows {len(shown)} of them: the last one, mistakes and guesses as far as "
        "there is room, and some in between."
    )


def _position(judged: JudgedGame, shown: Sequence[int], number: int) -> int | None:
    """Return the number of a turn on the page, counted from 1; None if it is left out."""
    places = enumerate(shown, start=1)
    return next((at for at, one in places if judged.turns[one].turn.number == number), None)


def _summary(session: Session, judged: JudgedGame) -> str:
    header, turns = session.header, judged.turns
    first = turns[0].turn.board
    mines = "unknown mines" if first.mines is None else counted(first.mines, "mine")
    started = header.started[:16].replace("T", " ")
    survived = f", all of which survive with a chance of {percent(judged.chance)}"
    return (
        f"{first.rows}x{first.cols} with {mines}, played by {header.agent}, {started}. "
        f"{counted(len(turns), 'turn')}, "
        f"{counted(judged.guesses, 'guess', 'guesses')}{survived if judged.guesses else ''}; "
        f"{counted(len(judged.mistakes), 'mistake')}."
    )


def figures_text(session: Session, judged: JudgedGame) -> str:
    """Describe the difficulty of a game, its speed and the number of clicks.

    Only a won game has a speed and an efficiency: others are not solved completely.
    """
    facts = facts_of_game(judged.game, session.header.agent)
    clicks = counted(facts.clicks, "click") + (
        f" in {facts.seconds:.1f} s" if facts.seconds else ""
    )
    if facts.difficulty is None:
        return f"{clicks}."
    speed = efficiency_text(facts.bv, facts.clicks, facts.seconds) if facts.result == "won" else ""
    if not speed:
        return f"{clicks}. {facts.difficulty}."
    others = str(facts.difficulty).partition(", ")[2]
    return f"{clicks}. {speed} {others[:1].upper()}{others[1:]}."


MOST_PROOFS = 6
"""For how many certain cells of a turn the page gives proofs."""

UNREAD_END_NOTE = "The last board could not be read: this is the board before the last turn."


def describe_turn(judged: JudgedTurn, after: Board | None) -> dict[str, Any]:
    """Describe a turn without its picture; ``after`` is the next board, None if unknown."""
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
        "clicks": " ".join([_clicks(turn), *_not_sent(turn, after)]),
        # The clock of a simulated window stops while the bot works; a person's times are unknown.
        "ms": timings_json(turn.timings) if turn.timings and turn.timings.read_ms else None,
        "notes": list(turn.notes),
        "picture": None,
    }


def describe_final(judged: JudgedGame) -> dict[str, Any]:
    """Describe the end as if it were a turn.

    If the last board could not be read, the one of the last turn replaces it, with a note.
    """
    board = judged.game.final
    notes = [] if board is not None else [UNREAD_END_NOTE]
    board = judged.turns[-1].turn.board if board is None else board
    empty = {
        **dict.fromkeys(("risks", "win", "mistake", "ms", "picture")),
        **dict.fromkeys(("moves", "best", "proofs", "candidates"), ()),
        **dict.fromkeys(("reason", "clicks"), ""),
    }
    shown = {"board": board.text_rows(), "decision": ending(judged), "notes": notes}
    return {"final": True, **empty, **shown, "guess": False}


def _risks(judged: JudgedTurn) -> list[list[float | None]] | None:
    """Return the risks of covered cells with three decimals, None for open cells."""
    if judged.analysis is None:
        return None
    rounded = np.round(judged.analysis.probabilities, 3)
    return [[None if isnan(value) else value for value in row] for row in rounded.tolist()]


def _proofs(judged: JudgedTurn) -> list[dict[str, Any]]:
    """Explain the first certain cells of a turn, or what was better than a guess."""
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
    """Describe a turn's decision in one sentence."""
    decision = judged.turn.decision
    if not decision.moves:
        return f"No move: {decision.reason}."
    first, more = decision.moves[0], len(decision.moves) - 1
    others = f" and {more} more" if more else ""
    chance = f" It survives {percent(judged.survival)} of the time." if judged.guess else ""
    again = " It was sent again." if judged.turn.retry else ""
    return f"{first.words(judged.turn.board)}{others}.{chance}{again}"


def _reason(judged: JudgedTurn) -> str:
    """Give the player's reason, or say what is wrong with the board."""
    if judged.analysis is None:
        return "The board as read cannot be analysed: no layout of mines fits it, or too many do."
    return f"{judged.turn.decision.reason[:1].upper()}{judged.turn.decision.reason[1:]}."


def _clicks(turn: RecordedTurn) -> str:
    if (at_s := turn.at_s) is not None:
        click = turn.clicks[0]
        return f"After {at_s:.2f} s: {click.cell.place} ({click.button})."
    if not turn.clicks:
        return "No click was sent by the bot."
    named = "; ".join(f"{click.cell.place} ({click.button})" for click in turn.clicks[:8])
    more = f" and {len(turn.clicks) - 8} more" if len(turn.clicks) > 8 else ""
    return f"{len(turn.clicks)} sent: {named}{more}."


def _not_sent(turn: RecordedTurn, after: Board | None) -> list[str]:
    """Say why fewer clicks were sent than there are moves.

    A click is left out if its tile does not look as it was read: another click of the turn opened
    it, or something covers it.
    """
    clicked = {click.cell for click in turn.clicks}
    left = [move.cell for move in turn.decision.moves if move.cell not in clicked]
    if not turn.clicks or not left or after is None:
        return []
    opened = [cell for cell in left if cell.row < after.rows and cell.col < after.cols]
    opened = [cell for cell in opened if after.open[cell]]
    later = [cell for cell in left if cell not in opened]
    lines = []
    if opened:
        lines.append(f"Not sent: {_named(opened)}, which another click opened too.")
    if later:
        lines.append(f"Left for later: {_named(later)}, which looked changed by then.")
    return lines


def _named(cells: Sequence[Cell]) -> str:
    """Name the first cell, and count the others."""
    return f"{cells[0].place}{f' and {len(cells) - 1} more' if len(cells) > 1 else ''}"


def ending(judged: JudgedGame) -> str:
    """Describe how the game ended, how that was recognised, and why it was lost."""
    game = judged.game
    evidence = f"Recognised by: {game.why_over}" if game.why_over else ""
    return " ".join(filter(None, [game.ending, evidence, judged.cause, *game.notes]))


TABLE_HEADS = (
    *((name, name) for name in ("session", "date", "result")),
    *((name, name) for name in ("turns", "guesses", "chance", "mistakes")),
    ("cause", "why it was lost"),
)
"""The columns next to the game: the key in a row, and the heading."""


@dataclass(frozen=True)
class IndexedGame:
    """A game of the index, and the name of the file of its page."""

    href: str
    session: Session
    judged: JudgedGame


def build_index(entries: Sequence[IndexedGame]) -> str:
    """Draw the index of several pages."""
    rows = [_row(entry) for entry in entries]
    sums = index_sums([entry.judged for entry in entries])
    return render("index.html.j2", sums=sums, rows=rows, columns=TABLE_HEADS)


def index_sums(games: Sequence[JudgedGame]) -> str:
    """Sum up several games in two sentences.

    >>> index_sums([])
    '0 games. 0 guesses, 0 mistakes.'
    """
    ended = [judged for judged in games if judged.game.result in ("won", "lost")]
    won = sum(judged.game.result == "won" for judged in ended)
    expected = sum(judged.chance for judged in ended)
    text = counted(len(games), "game")
    if ended:
        text += f": {won} won, {len(ended) - won} lost"
        text += f", {len(games) - len(ended)} not finished" if len(games) > len(ended) else ""
        text += (
            f" ({100 * won / len(ended):.0f} % won; {expected:.1f} wins were to be expected from "
        )
        text += f"the chances survived: luck {won - expected:+.1f})"
    guesses = counted(sum(judged.guesses for judged in games), "guess", "guesses")
    mistakes = counted(sum(len(judged.mistakes) for judged in games), "mistake")
    return f"{text}. {guesses}, {mistakes}."


def _row(entry: IndexedGame) -> dict[str, Any]:
    judged, game = entry.judged, entry.judged.game
    last = judged.turns[-1].turn
    frame, place = (last.frame, last.place) if game.end is None else (game.end.frame, game.place)
    return {
        "href": entry.href,
        "picture": thumbnail(entry.session, frame, place, game.final or last.board),
        "session": entry.session.folder.name,
        "date": entry.session.header.started[:16].replace("T", " "),
        "program": game.program,
        "game": game.number,
        "result": game.result,
        "turns": len(judged.turns),
        "guesses": judged.guesses,
        "chance": percent(judged.chance),
        "mistakes": len(judged.mistakes),
        "cause": judged.cause,
    }


Pixels: TypeAlias = NDArray[np.uint8]

QUALITIES = (60, 40, 25, 12)
"""WebP qualities tried in turn until a picture fits. At 60 the tiles of a 16x30 board of
`gnome-mines` take 9 to 14 KB a picture."""

WIDEST_PX = 1100

HIGHEST_PX = 2200
"""Pictures are scaled down to this size; a page shows them no wider."""

FRAMES_PX = 400_000_000
"""Pixels of frames that are decoded for a page, in 16 s: 300 turns of an expert board take 320
million."""

THUMBNAIL_PX = 200
"""Longer side of the picture of a game on an index."""

COLOURS: dict[int, tuple[int, int, int]] = {
    **{number: (244 - 14 * number,) * 3 for number in range(9)},
    Tile.HIDDEN: (168, 175, 186),
    Tile.FLAG: (232, 166, 0),
    Tile.QUESTION: (168, 175, 186),
    Tile.MINE: (60, 60, 60),
    Tile.EXPLODED: (217, 48, 37),
    Tile.WRONG_FLAG: (232, 110, 100),
    Tile.UNKNOWN: (168, 175, 186),
}
"""The colours of tiles on a small drawn board; a higher number is darker."""


class FramesOnce:
    """The frames of a session, for one page or clip: at most `FRAMES_PX` pixels are decoded.

    The last frame is cached, because several lines in a row may name the same one.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._left = session, FRAMES_PX
        self._last: tuple[FrameRef | None, Frame | None] = None, None

    def of(self, named: FrameRef | None) -> Frame | None:
        """Return a frame; None if it is missing or damaged, or exceeds the limit."""
        if named != self._last[0]:
            self._last = named, self._decoded(named)
        return self._last[1]

    def _decoded(self, named: FrameRef | None) -> Frame | None:
        if named is None or self._left <= 0:
            return None
        try:
            frame = self._session.frame(named)
        except BadSession:  # it is unknown how much of a damaged one was decoded
            there = (self._session.folder / named.name).exists()
            self._left -= PICTURE_PIXELS if there else 0
            return None
        self._left -= frame.width * frame.height
        return frame


def board_pictures(
    session: Session, shown: Sequence[tuple[FrameRef | None, PlaceLine | None]], room: int
) -> list[str | None]:
    """Encode the board of every frame as a data address, together at most ``room`` bytes.

    A frame comes with the place of the board. Each picture in turn gets an equal share of the room
    that is left, and is omitted if its share is too small.
    """
    frames, pictures = FramesOnce(session), list[str | None]()
    for left, (named, place) in zip(range(len(shown), 0, -1), shown, strict=True):
        frame = frames.of(named)
        picture = None if frame is None else _encoded(crop_board(frame, place), room // left)
        room -= len(picture or "")
        pictures.append(picture)
    return pictures


def _encoded(pixels: Pixels, most: int) -> str | None:
    """Encode a picture in the best quality that has at most ``most`` bytes, None if none has."""
    for quality in QUALITIES:
        address = data_address(_webp(pixels, quality))
        if len(address) <= most:
            return address
    return None


def data_address(webp: bytes) -> str:
    """Return the address under which a page finds a picture in itself."""
    return f"data:image/webp;base64,{base64.b64encode(webp).decode()}"


def crop_board(frame: Frame, place: PlaceLine | None) -> Pixels:
    """Cut the board with half a tile around it out of a frame; scale it down for a page."""
    crop = frame.pixels if place is None else _cut(frame, place)
    scale = min(1.0, WIDEST_PX / crop.shape[1], HIGHEST_PX / crop.shape[0])
    return crop if scale == 1.0 else _scaled(crop, scale)


def _scaled(pixels: Pixels, scale: float) -> Pixels:
    size = [max(1, round(scale * side)) for side in pixels.shape[1::-1]]
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _cut(frame: Frame, place: PlaceLine) -> Pixels:
    grid = grid_in(frame, place)
    pad_x, pad_y = grid.tile_w / 2, grid.tile_h / 2
    left, top = max(0, round(grid.x0 - pad_x)), max(0, round(grid.y0 - pad_y))
    right = round(grid.x0 + grid.cols * grid.tile_w + pad_x)
    bottom = round(grid.y0 + grid.rows * grid.tile_h + pad_y)
    crop = frame.pixels[top : max(0, bottom), left : max(0, right)]
    return crop if crop.size else frame.pixels


def _webp(pixels: Pixels, quality: int) -> bytes:
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, quality])
    return bytes(np.asarray(data))


def thumbnail(
    session: Session, named: FrameRef | None, place: PlaceLine | None, board: Board
) -> str:
    """Return a small picture of a board, as it was on the screen or, without a frame, drawn."""
    frame = FramesOnce(session).of(named)
    pixels = _drawn(board) if frame is None else crop_board(frame, place)
    small = _scaled(pixels, THUMBNAIL_PX / max(pixels.shape[:2]))
    return data_address(_webp(small, QUALITIES[0]))


def _drawn(board: Board) -> Pixels:
    """Draw a board with a square for each tile."""
    squares = np.array([[COLOURS[tile] for tile in row] for row in board.tiles.tolist()], np.uint8)
    drawn = squares.repeat(12, axis=0).repeat(12, axis=1)
    drawn[::12], drawn[:, ::12] = 255, 255
    return np.asarray(drawn)


POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a page may load: its own pictures and its own style, nothing from anywhere else."""


def render(template: str, **values: Any) -> str:
    """Fill a template; its style and its script are put into the page.

    Texts are shown without codes for control or direction, and the page may load nothing and run no
    other script.
    """
    environment = Environment(
        loader=FunctionLoader(page_text),
        autoescape=select_autoescape(default=True),
        finalize=_without_codes,
    )
    script = page_text("review.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template(template).render(
        style=Markup(page_text("review.css")),
        script=Markup(script),
        policy=f"{POLICY}; script-src 'sha256-{digest}'",
        **values,
    )


def script_json(data: Any) -> Markup:
    """Write JSON that cannot end the script element it stands in, without codes in its texts."""
    text = json.dumps(_without_codes(data), ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def _without_codes(value: Any) -> Any:
    """Make the texts of a value plain; what is markup is this program's own."""
    if isinstance(value, str):
        return value if isinstance(value, Markup) else plain(value)
    if isinstance(value, dict):
        return {key: _without_codes(one) for key, one in value.items()}
    return [_without_codes(one) for one in value] if isinstance(value, list) else value


def page_text(name: str) -> str:
    """Read a file of the templates."""
    return (resources.files("bot.record") / "templates" / name).read_text(encoding="utf-8")
