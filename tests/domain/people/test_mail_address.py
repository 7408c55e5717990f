"""One reading of mail addresses, at import and at sending."""

import random

import pytest
from email_validator import EmailNotValidError, validate_email

from swapflow.domain.people.mail_address import can_be_mailed, read_address
from swapflow.errors import InvalidInputError


LOCAL = (
    "ann",
    "a.b",
    ".a",
    "a.",
    "a..b",
    "a+b",
    "ä",
    "a b",
    '"a b"',
    "a@b",
    "x" * 64,
    "x" * 65,
    "",
)
DOMAIN = (
    "example.org", "EXAMPLE.org", "a.b.example.org", "example", "example..org", "-a.org", "a-.org",
    "exämple.org", "example.org.", "example.org,", "[127.0.0.1]", "uni.local", "x" * 64 + ".org",
    ".".join(["x" * 60] * 5), "a_b.org", "1.2", "",
)  # fmt: skip


def by_the_library(text: str) -> str | None:
    """Return what the library alone reads; None where it refuses or the domain is one word."""
    try:
        found = validate_email(
            text.strip(),
            check_deliverability=False,
            allow_display_name=True,
            globally_deliverable=False,
        )
    except EmailNotValidError:
        return None
    return found.original if "." in found.domain else None


def read(text: str) -> str | None:
    try:
        return read_address(text)
    except InvalidInputError:
        return None


@pytest.mark.parametrize("local", LOCAL)
@pytest.mark.parametrize("domain", DOMAIN)
def test_an_address_whose_domain_was_seen_before_is_read_as_the_library_reads_it(
    local: str, domain: str
) -> None:
    for text in (f"{local}@{domain}", f" {local}@{domain} ", f"Ann <{local}@{domain}>"):
        assert read(text) == by_the_library(text), text


def test_drawn_texts_are_read_as_the_library_reads_them() -> None:
    draws = random.Random(20261129)
    letters = "aB1._-+@<>, ä\"'"

    for _ in range(3000):
        text = "".join(draws.choice(letters) for _ in range(draws.randint(1, 9))) + draws.choice(
            ("", "@example.org", "@b.example", ".org")
        )
        assert read(text) == by_the_library(text), text


def test_only_an_address_alone_can_be_mailed() -> None:
    assert can_be_mailed("ann@example.org")
    assert not can_be_mailed("Ann <ann@example.org>")
    assert not can_be_mailed("mailto:ann@example.org")
