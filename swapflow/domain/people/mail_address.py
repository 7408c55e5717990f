"""Mail addresses as people write them into lists: one check, at import and at sending."""

import re
from functools import lru_cache

from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email

from swapflow.errors import InvalidInputError


# Networks of one organisation name their own servers so; the library documents this way.
SPECIAL_USE_DOMAIN_NAMES.remove("local")


_PLAIN_LOCAL = re.compile(r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*")
"""The part before the @ of nearly every address; the library reads all others."""

_LONGEST_LOCAL, _LONGEST = 64, 254  # RFC 5321, 4.5.3.1


def read_address(text: str) -> str:
    """Return the address that a cell holds, as it is written, without the name beside it.

    "Ann Roe <ann@example.org>" is ann@example.org. Domains inside one organisation (.local) are
    addresses too; a domain of one word is none, for no server of another house finds it.

    Raises:
        InvalidInputError: If no mail can be sent to it, with the reason.
    """
    stripped = text.strip()
    local, at, domain = stripped.rpartition("@")
    plain = at and len(local) <= _LONGEST_LOCAL and len(stripped) <= _LONGEST
    # A list has few domains and tens of thousands of addresses: each domain is looked at once.
    if plain and _PLAIN_LOCAL.fullmatch(local) and _is_mail_domain(domain):
        return stripped
    try:
        found = validate_email(
            stripped,
            check_deliverability=False,  # an import waits for no name server
            allow_display_name=True,
            globally_deliverable=False,
        )
    except EmailNotValidError as error:
        raise InvalidInputError(
            "email_unusable", email=text[:80], problem=str(error).rstrip(".")
        ) from error
    if "." not in found.domain:
        raise InvalidInputError("email_domain_of_one_word", email=text[:80], domain=found.domain)
    return found.original


def can_be_mailed(text: str) -> bool:
    """Whether a text is an address alone, such as a mail is sent to."""
    try:
        return read_address(text) == text
    except InvalidInputError:
        return False


@lru_cache(maxsize=4096)
def _is_mail_domain(domain: str) -> bool:
    """Whether an address with a plain first part is one under this domain."""
    try:
        found = validate_email(
            f"a@{domain}", check_deliverability=False, globally_deliverable=False
        )
    except EmailNotValidError:
        return False
    return "." in found.domain
