"""Translate the old keys of theme files and saved calibrations.

Only this module knows the old keys. Its functions take a parsed TOML table and return one with
the current keys; they leave current keys and unknown ones as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OLD_FILE_KEYS = {"skin": "theme", "handling": "profile"}
OLD_THEME_KEYS = {"look": "appearance", "face": "smiley", "handling": "profile"}
OLD_APPEARANCE_KEYS = {"face": "background", "rim": "bevel"}
OLD_PROFILE_KEYS = {
    "face": "smiley",
    "counter": "counter_side",
    "counter_ends": "counter_only_in_play",
}
UNUSED_PROFILE_KEYS = ("hover",)
"""Keys whose values nothing uses any more."""


def with_current_file_keys(file: Mapping[str, Any]) -> dict[str, Any]:
    """Translate the keys of a theme file and those of its themes, but none further inside."""
    data: dict[str, Any] = _renamed(file, OLD_FILE_KEYS)
    if isinstance(data.get("theme"), list):
        data["theme"] = [_renamed(theme, OLD_THEME_KEYS) for theme in data["theme"]]
    return data


def with_current_theme_keys(theme: Mapping[str, Any]) -> dict[str, Any]:
    """Translate the keys of one theme: of its appearances, its smileys and its profile."""
    data: dict[str, Any] = _renamed(theme, OLD_THEME_KEYS)
    if isinstance(data.get("appearance"), list):
        data["appearance"] = [_renamed(one, OLD_APPEARANCE_KEYS) for one in data["appearance"]]
    if isinstance(data.get("profile"), Mapping):
        profile = _renamed(data["profile"], OLD_PROFILE_KEYS)
        if profile.get("new_game") == "face":
            profile["new_game"] = "smiley"
        data["profile"] = {
            key: value for key, value in profile.items() if key not in UNUSED_PROFILE_KEYS
        }
    return data


def _renamed(table: Any, keys: Mapping[str, str]) -> Any:
    """Rename the keys of a table; anything else is returned as it is, to be refused later."""
    if not isinstance(table, Mapping):
        return table
    return {keys.get(key, key): value for key, value in table.items()}
