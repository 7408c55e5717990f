"""A person at a page whose acts are counted."""

import re
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Locator, Page


class Hand:
    """What a person does on a page; each press, link and typed line is one act.

    Attributes:
        page: The page.
        acts: How many there were.
        fields: How many of them filled a field.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.acts = 0
        self.fields = 0

    def open(self, address: str) -> None:
        """Follow a link that stands in a mail."""
        self.acts += 1
        self.page.goto(address)

    def press(self, name: str | re.Pattern[str], *, exact: bool = False) -> None:
        """Press a button, and wait for the page that follows."""
        self.lead_on(self.page.get_by_role("button", name=name, exact=exact))

    def follow(self, name: str | re.Pattern[str], *, exact: bool = False) -> None:
        """Follow a link to its page."""
        self.lead_on(self.page.get_by_role("link", name=name, exact=exact))

    def load(self, name: str) -> Path:
        """Follow a link to a file; gives where it was put."""
        with self.page.expect_download() as got:
            self.tap(self.page.get_by_role("link", name=name))
        return Path(got.value.path())

    def lead_on(self, place: Locator) -> None:
        """Press the first of what is found, and wait for the page that follows.

        A press alone may return while the page of before is still open, and what is done next
        would be done there.
        """
        with self.page.expect_navigation():
            self.tap(place)

    def tap(self, place: Locator) -> None:
        """Press the first of what is found."""
        self.acts += 1
        place.first.click()

    def fill(self, place: Locator, value: str) -> None:
        """Type into a field."""
        self._field()
        place.first.fill(value)

    def fill_all(self, values: Mapping[str, str]) -> None:
        """Type into fields by their names."""
        for name, value in values.items():
            self.fill(self.page.locator(f"[name='{name}']"), value)

    def choose(self, label: str, value: str) -> None:
        """Choose from a list."""
        self._field()
        self.page.get_by_label(label).select_option(value)

    def pick(self, text: str) -> None:
        """Take one of several answers."""
        self._field()
        self.page.get_by_text(text, exact=True).click()

    def attach(self, file: Path) -> None:
        """Choose a file."""
        self._field()
        self.page.locator("input[type=file]").first.set_input_files(file)

    def _field(self) -> None:
        self.acts += 1
        self.fields += 1
