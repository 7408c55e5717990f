"""What a text from a form may hold."""

import re


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def is_plain(text: str) -> bool:
    """Say whether a text holds no control characters but line breaks and tabs."""
    return _CONTROL.search(text) is None
