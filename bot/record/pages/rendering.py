"""Fill the templates of pages: everything a page needs stands in it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, select_autoescape
from markupsafe import Markup


def render(template: str, **values: Any) -> str:
    """Fill a template; its style is put into the page."""
    environment = Environment(
        loader=FunctionLoader(page_text), autoescape=select_autoescape(default=True)
    )
    return environment.get_template(template).render(
        style=Markup(page_text("review.css")), **values
    )


def script_json(data: Any) -> Markup:
    """Write JSON that cannot end the script element it stands in."""
    return Markup(
        json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    )


def page_text(name: str) -> str:
    """Read a file of the templates."""
    return (resources.files("bot.record.pages") / "templates" / name).read_text(encoding="utf-8")
