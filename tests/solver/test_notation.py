"""Boards in the forms that people write: what is meant is read, what is unclear is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.board import TEXT_OF_TILE, Board
from solver.errors import BadBoardText

OWN = "1F#\n0?*\n2~#"
"""A board without tiles that only a lost game has."""

ROWS = [list(row) for row in OWN.split("\n")]
SIGNS = {
    "signs": dict(zip("#F*0?", "·⚑✱\u00a0❓", strict=True)),
    "emoji": dict(zip("#F*0?12", ["⬛", "🚩", "💣", "0️⃣", "❔", "1️⃣", "2️⃣"], strict=True)),
    "dashes": {"#": "-", "0": "."},
    "underlines": {"#": "_"},
    "squares": {"#": "□"},
    "wide digits": dict(zip("012", "\uff10\uff11\uff12", strict=True)),
}


@pytest.mark.parametrize("between", [" ", "\t", ",", ", ", ";", " | ", "  ", ""])
@pytest.mark.parametrize("signs", SIGNS.values(), ids=SIGNS)
def test_every_common_form_is_read(signs: dict[str, str], between: str) -> None:
    if "\u00a0" in signs.values() and not between.strip(","):
        between = between or " "  # it stands for a tile only between blanks
    rows = [between.join(signs.get(sign, sign) for sign in row) for row in ROWS]
    board = Board.from_text(OWN)
    assert Board.from_text("\n".join(rows)) == board
    assert Board.from_text("\ufeff" + "\r\n".join(f" {row}{between} " for row in rows)) == board


@pytest.mark.parametrize(
    "text",
    [
        "┌─┬─┬─┐\n│1│F│#│\n├─┼─┼─┤\n│0│?│*│\n├─┼─┼─┤\n│2│~│#│\n└─┴─┴─┘",
        "+---+---+---+\n| 1 | F | # |\n+---+---+---+\n| 0 | ? | * |\n| 2 | ~ | # |\n+---+---+---+",
        "   1 2 3\n 1 1 F #\n 2 0 ? *\n 3 2 ~ #",
        "   4 5 6\n 9 1 F #\n10 0 ? *\n11 2 ~ #",
        '"1","F","#"\n"0","?","*"\n"2","~","#"',
        "1F#/0?*/2~#",
        f"shot.png: 3 rows, 3 columns\n{OWN}\n\nGuess at row 1, column 3 (50 % to survive)\n",
    ],
)
def test_frames_labels_and_sentences_are_skipped(text: str) -> None:
    assert Board.from_text(text) == Board.from_text(OWN)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("⬜⬛\n⬛1", "'⬛' and '⬜' in one board"),
        ("-1\n##", "'#' and '-' in one board"),
        ("1.\n..", "'.' may be a hidden tile"),
        ("10\n.0", "'.' may be a hidden tile"),
        ("x1\n##", "an exploded mine .* or a wrong flag"),
        ("1 o\n# #", "Row 1, column 2 holds 'o'"),
        ("1 M\n# #", "a mine .* or a flag"),
        ("1,,#\n#,#,#", "nothing between two separators"),
        ("1  \n# #", "not a blank"),
        ("1 12\n# #", "'12', which is not a tile"),
        (f"First board\n{OWN}\nSecond board\n{OWN}", "several boards"),
        ("No board here", "empty"),
    ],
)
def test_what_is_unclear_is_named(text: str, named: str) -> None:
    with pytest.raises(BadBoardText, match=named):
        Board.from_text(text)


@given(st.text(alphabet="#.0128F?*XW~ -·⚑\t,|ox\n9é", max_size=60))
def test_any_text_is_a_board_or_one_error(text: str) -> None:
    try:
        board = Board.from_text(text)
    except BadBoardText:
        return
    assert Board.from_text(str(board)) == board


@given(
    st.integers(1, 12).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from(sorted(TEXT_OF_TILE)), min_size=width, max_size=width),
            min_size=1,
            max_size=12,
        )
    ),
    st.sampled_from([" ", "\t", ",", " ; ", "|"]),
)
def test_tiles_may_be_parted_by_anything(tiles: list[list[int]], between: str) -> None:
    board = Board(tiles)
    text = "\n".join(between.join(row) for row in board.text_rows())
    if [row[0] for row in board.text_rows()][:6] != list("123456"):  # taken for numbers of rows
        assert Board.from_text(text) == board
