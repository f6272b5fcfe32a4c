"""Fill the templates of pages: everything a page needs stands in it."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, select_autoescape
from markupsafe import Markup

from bot.plain_text import plain

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
    return (resources.files("bot.record.pages") / "templates" / name).read_text(encoding="utf-8")
