"""Nothing in the tests depends on the configuration or the data of the user who runs them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test empty folders for configuration and data; return the one above them."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setattr("bot.config.user_config_path", lambda name, **_: home / "config" / name)
    for module in ("storage", "themes"):
        monkeypatch.setattr(
            f"bot.record.{module}.user_data_path", lambda name, **_: home / "data" / name
        )
    return home
