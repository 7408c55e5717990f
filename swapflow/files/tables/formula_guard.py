"""Text that a spreadsheet would take for a formula, made harmless and back again."""

import re


DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF100
"""First characters that make a spreadsheet calculate, full-width ones included."""

TAB = "\t"

APOSTROPHE = re.compile(r"'(?=[=+\-@\d])")
"""What other programs put before text to keep it text; importers take it off."""


def guard(text: str) -> str:
    """Write a tab before text that a spreadsheet would take for a formula.

    A tab inside quotes survives opening and saving again; the apostrophe that is often advised
    does not. Give this strings only: a guarded number would no longer be one.

    Source:
        OWASP, "CSV Injection", and the reports on its apostrophe.
    """
    return TAB + text if _is_guarded(text) else text


def unguard(text: str) -> str:
    """Remove the tab that `guard` wrote; text that it never touched comes back unchanged."""
    return text[1:] if text.startswith(TAB) and _is_guarded(text[1:]) else text


def _is_guarded(text: str) -> bool:
    # An apostrophe of one's own is guarded too, else an importer would take it off.
    return text.startswith(DANGEROUS) or APOSTROPHE.match(text) is not None
