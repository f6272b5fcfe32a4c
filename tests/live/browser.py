"""Chromium driven by selenium: pages of this machine, without a screen or in a window on a desk."""

import json
from contextlib import contextmanager

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.live.session import which

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-quic", "--disable-background-networking", "--disable-component-update"),
)


class Browser:
    """One page at a time: elements by their id, keys, and what the page did."""

    def __init__(self, driver):
        self.driver, self.run = driver, driver.execute_script

    def open(self, page, fragment=""):
        """Open a file afresh, at a fragment such as ``#turn=3``."""
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + fragment)

    def press(self, key):
        """Press a key, such as ``right``, while the page has the focus."""
        self.driver.find_element(By.TAG_NAME, "body").send_keys(getattr(Keys, key.upper(), key))

    def text(self, name):
        return str(self.run("return document.getElementById(arguments[0]).textContent", name))

    def count(self, selector):
        return len(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def shown(self, name):
        return self.driver.find_element(By.ID, name).is_displayed()

    def resize(self, width, height):
        """Show the page as on a screen of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def scheme(self, name, media="screen"):
        """Ask for the ``light`` or the ``dark`` colours, on the screen or in ``print``."""
        wish = {"name": "prefers-color-scheme", "value": name}
        shown = {"media": media, "features": [wish]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", shown)

    def complaints(self):
        """Return what was written to the console since the last call."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self):
        """Return the addresses asked for since the last call, but for files and data.

        The browser's own first tab asks for ``chrome:`` addresses.
        """
        entries = self.driver.get_log("performance")
        events = [json.loads(entry["message"])["message"] for entry in entries]
        asked = [
            str(event["params"]["request"]["url"])
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith(("file:", "data:", "about:", "chrome:"))]


@contextmanager
def chromium(*flags, env=None):
    """Run a Chromium with a new profile; the next call accepts what its pages ask."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(which("chromium"))
    for flag in (*FLAGS, *flags):
        options.add_argument(flag)
    options.add_experimental_option("excludeSwitches", ["enable-automation"])
    options.unhandled_prompt_behavior = "accept"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    own_group = {"start_new_session": True}
    service = Service(str(which("chromedriver")), env=env, popen_kw=own_group)
    driver = webdriver.Chrome(options, service)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def headless():
    with chromium("--headless", "--window-size=1280,720") as driver:
        yield Browser(driver)
