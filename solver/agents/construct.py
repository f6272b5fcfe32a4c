"""Make an agent from its class: pass the settings it accepts, and the options of its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from solver.errors import UnknownAgent

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def construct(
    name: str,
    factory: Callable[..., Any],
    options: str,
    settings: Mapping[str, Any],
    fixed: Mapping[str, Any] | None = None,
) -> Any:
    """Call ``factory`` with those of ``settings`` that it accepts, and with its own options.

    ``options`` is the text ``key=value,...``; each value is converted to the type of the keyword's
    default, or stays text if the default is None or missing. ``fixed`` are preset keywords.
    Raises `UnknownAgent` for an unknown option or an invalid value.
    """
    takes = parameters_of(factory)
    given = {key: value for key, value in settings.items() if key in takes}
    own = {key: parameter.default for key, parameter in takes.items() if key not in settings}
    return factory(**given, **{**(fixed or {}), **_read_options(name, options, own)})


def parameters_of(factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keywords of a factory; none if it is written in C without a signature."""
    try:
        parameters = inspect.signature(factory).parameters
    except ValueError:
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {key: parameter for key, parameter in parameters.items() if parameter.kind in named}


def _read_options(name: str, text: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise UnknownAgent(f"{name} has no option {key!r}. Known: {known}.")
        try:
            chosen[key] = _read_value(value, defaults[key])
        except (ValueError, KeyError):
            raise UnknownAgent(f"{name} cannot take {value!r} for {key}.") from None
    return chosen


def _read_value(text: str, default: Any) -> Any:
    if default is None or default is inspect.Parameter.empty:
        return text
    if isinstance(default, bool):
        return _TRUTHS[text.lower()]
    return type(default)(text)
