"""A headless Chromium for tests: opens pages of this machine, and records their requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

KEYS = {
    "left": Keys.ARROW_LEFT,
    "right": Keys.ARROW_RIGHT,
    "up": Keys.ARROW_UP,
    "down": Keys.ARROW_DOWN,
}

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,720",
)


class Browser:
    """One page at a time: elements by their id, keys, and what the page did."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a file afresh, at a fragment such as ``#turn=3``."""
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + fragment)

    def press(self, key: str) -> None:
        """Press a key while the page has the focus."""
        self.driver.find_element(By.TAG_NAME, "body").send_keys(KEYS.get(key, key))

    def text(self, name: str) -> str:
        """Return the text of the element with this id, shown or not."""
        return str(self.run("return document.getElementById(arguments[0]).textContent", name))

    def count(self, selector: str) -> int:
        """Count the elements that a CSS selector finds."""
        return len(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def shown(self, name: str) -> bool:
        """Whether the element with this id is shown."""
        return self.driver.find_element(By.ID, name).is_displayed()

    def bottom(self, name: str) -> float:
        """Return where the element with this id ends, in pixels below the window's top."""
        code = "return document.getElementById(arguments[0]).getBoundingClientRect().bottom"
        return float(self.run(code, name))

    def run(self, code: str, *values: Any) -> Any:
        """Run JavaScript in the page."""
        return self.driver.execute_script(code, *values)

    def resize(self, width: int, height: int) -> None:
        """Show the page as on a screen of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def scheme(self, name: str, media: str = "screen") -> None:
        """Ask for the ``light`` or the ``dark`` colours, on the screen or in ``print``."""
        wish = {"name": "prefers-color-scheme", "value": name}
        shown = {"media": media, "features": [wish]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", shown)

    def complaints(self) -> list[str]:
        """Return what was written to the console since the last call."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses asked for since the last call, but for files and data.

        The browser's own first tab asks for ``chrome:`` addresses.
        """
        events = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        asked = [
            str(event["params"]["request"]["url"])
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith(("file:", "data:", "about:", "chrome:"))]


@contextmanager
def chromium(profile: Path, program: str, driver: str) -> Iterator[Browser]:
    """Run a Chromium with a new profile."""
    options = Options()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(running)
    finally:
        running.quit()
