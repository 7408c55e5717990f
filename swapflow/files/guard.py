"""Text that a spreadsheet would take for a formula, made harmless and back again."""

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF100
"""First characters that make a spreadsheet calculate, full-width ones included."""

TAB = "\t"


def guard(text: str) -> str:
    """Put a tab before text that a spreadsheet would take for a formula.

    A tab inside quotes survives opening and saving again; the apostrophe that is often advised
    does not. Give this strings only: a guarded number would no longer be one.

    Source:
        OWASP, "CSV Injection", and the reports on its apostrophe.
    """
    return TAB + text if text.startswith(DANGEROUS) else text


def unguard(text: str) -> str:
    """Take off the tab that `guard` put there; text that it never touched comes back unchanged."""
    if text.startswith(TAB) and text[1:].startswith(DANGEROUS):
        return text[1:]
    return text
