"""Find agents that are not part of this program: a Python file, or an installed package.

A package offers agents by entry points of the group ``minebot.agents``; in its ``pyproject.toml``::

    [project.entry-points."minebot.agents"]
    lucky = "minebot_lucky:Lucky"

Nothing of a plug-in is imported here: its code runs only in the process of its own that
`solver.agents.plugins.client` starts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solver.errors import UnknownAgent

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "minebot.agents"
"""Entry-point group of installed agents."""

_FILE = re.compile(r"(?P<file>.+\.py):(?P<attribute>[^\W\d]\w*)(?::(?P<options>.*))?")


@dataclass(frozen=True)
class Plugin:
    """An agent from elsewhere.

    ``name`` is what the user calls it. ``target`` is a file's full path or a module's name,
    ``attribute`` the class, or any callable that returns an agent. ``idea`` and ``source`` are
    shown in the list of agents.
    """

    name: str
    target: str
    attribute: str
    idea: str = ""
    source: str = ""


def plugin_in_file(name: str) -> tuple[Plugin, str] | None:
    """Read ``FILE.py:Class`` or ``FILE.py:Class:options``; return the plug-in and its options.

    Returns None for a name of another form. Raises `UnknownAgent` if the file does not exist.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        if name.endswith(".py") or ".py:" in name:
            raise UnknownAgent(f"{name!r} names no class; write it as FILE.py:Class.")
        return None
    file, attribute, options = match.group("file", "attribute", "options")
    path = Path(file).expanduser()
    if not path.is_file():
        raise UnknownAgent(f"There is no file {file} to take the agent {attribute} from.")
    return Plugin(f"{file}:{attribute}", str(path.resolve()), attribute), options or ""


def installed_plugins() -> tuple[Plugin, ...]:
    """List the agents that installed packages offer, by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415  20 ms, for plug-ins only

    found = entry_points(group=GROUP)
    return tuple(sorted(map(_plugin_of, found), key=lambda plugin: plugin.name))


def installed_plugin(name: str) -> Plugin | None:
    """Return the installed agent of that name, or None.

    Raises `UnknownAgent` when several packages offer one of that name.
    """
    found = [plugin for plugin in installed_plugins() if plugin.name == name]
    if len(found) > 1:
        sources = Counter(plugin.source for plugin in found)
        raise UnknownAgent(f"Several packages offer an agent {name!r}: {', '.join(sources)}.")
    return found[0] if found else None


def _plugin_of(point: EntryPoint) -> Plugin:
    package = point.dist
    source = f"{package.name} {package.version}" if package else "an installed package"
    idea = package.metadata["Summary"] if package and "Summary" in package.metadata else ""
    return Plugin(point.name, point.module, point.attr, idea, f"plug-in: {source} ({point.value})")
