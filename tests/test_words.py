"""The words of the project: a private dialect that may only shrink, and one meaning per class name.

Code and documents use the words that everyone uses: *reported, detected, recognised, shown, result,
differs, unless*. CONTRIBUTING.md says more.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

DIALECT = {
    "told, tell": r"(?<![a-z.])(?:told|tells?|telling)(?![a-z])",
    "is none of": r"\b(?:is|are|was|were|be) none of\b|\b(?:what|which) (?:is|are) none\b",
    "is no X": r"(?<!there )(?<!where )\b(?:is|are|was|were|be) no (?!longer\b|more\b|way\b)",
    "otherwise, for differently": r"\b(?:says?|look|looks|read|reads|works?) otherwise\b",
    "besides": r"(?<![a-z])besides(?![a-z])",
    "reckon": r"reckon",
    "mended": r"\bmend(?:s|ed|ing)?\b",
    "nobody": r"(?<![a-z])(?:no|some)body(?![a-z])",
    "such, alone": r"(?<![a-z_])such(?! as\b| an?\b)(?![a-z])",
}
"""Words and turns of the dialect, as regular expressions; the case of letters does not matter."""

MOST = {
    "solver": 0,
    "bot": 2,
    "calibration": 0,
    "documents": 2,
    "tests": 20,
}
"""How often they occur in each part. These numbers may only fall: lower them with each rewrite."""

SUFFIXES = (".py", ".c", ".h", ".md", ".html")


def texts_of(part: str) -> dict[Path, str]:
    """Read the files of a package, of the tests, or the documents."""
    if part == "documents":
        files = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    else:
        files = [path for path in (ROOT / part).rglob("*") if path.suffix in SUFFIXES]
    found = {path: path.read_text("utf-8") for path in files if path.is_file()}
    found.pop(Path(__file__), None)
    return found


def dialect_in(text: str) -> list[str]:
    """Return all places of the dialect in a text."""
    return [
        match[0]
        for pattern in DIALECT.values()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("part", MOST)
def test_the_dialect_only_shrinks(part: str) -> None:
    found = {path: dialect_in(text) for path, text in texts_of(part).items()}
    count = sum(map(len, found.values()))
    worst = sorted(
        ((len(words), str(path)) for path, words in found.items() if words), reverse=True
    )
    assert found, "there are files"
    assert count <= MOST[part], f"{count} words of the dialect, most in {worst[:8]}"


@pytest.mark.parametrize(
    "sentence",
    [
        "why_over says what told that the game is over",
        "The board is told as it was read.",
        "a player that is none of our agents",
        "an array that is no board",
        "it looks otherwise than before",
        "what is opened besides",
        "reckoned from others",
        "a fault that cannot be mended",
        "a name that nobody knows",
        "players know corners as such",
    ],
)
def test_the_dialect_is_found(sentence: str) -> None:
    assert dialect_in(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no board.",
        "Words such as these.",
        "position = file.tell()",
        "It is no longer used.",
    ],
)
def test_plain_english_is_not_the_dialect(sentence: str) -> None:
    assert not dialect_in(sentence)


# ---- names of classes ----------------------------------------------------------------------------


def classes() -> dict[str, set[str]]:
    """Return the modules of the product that define each class, without leading underscores."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for package in ("bot", "calibration", "solver"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    found[node.name.lstrip("_")].add(str(path.relative_to(ROOT)))
    return found


def test_a_class_name_has_one_meaning() -> None:
    assert not {name: places for name, places in classes().items() if len(places) > 1}
