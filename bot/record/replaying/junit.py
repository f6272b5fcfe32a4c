"""The report of a replay as JUnit XML, which continuous integration shows test by test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from bot.plain_text import plain
from bot.record.replaying.differences import Difference, place_of
from bot.record.session import Session

TESTED = ("calibrated", "turn", "game")
"""The kinds of steps that are run again; each is a test."""


def junit_report(session: Session, differences: Mapping[int, Sequence[Difference]]) -> str:
    """Write a test for each step that was run again; ``differences`` are those of each step."""
    suite = ElementTree.Element("testsuite", name=f"minebot replay {plain(session.folder.name)}")
    games = len({step["game"] for step in session.steps if step["kind"] == "turn"})
    for number, step in enumerate(session.steps, start=1):
        if step["kind"] not in TESTED:
            continue
        name = f"step {number}: {place_of(step, games=games)}"
        test = ElementTree.SubElement(
            suite, "testcase", classname=plain(session.folder.name), name=name
        )
        if sentences := [
            plain(line) for one in differences.get(number, ()) for line in one.sentences()
        ]:
            failure = ElementTree.SubElement(test, "failure", message=sentences[0])
            failure.text = "\n".join(sentences)
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
