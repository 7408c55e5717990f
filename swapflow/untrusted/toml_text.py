"""TOML from people, read so that nothing but `ValueError` escapes."""

import tomllib
from typing import Any

from swapflow.untrusted.nesting import check_toml_nesting


def load_toml(text: str) -> dict[str, Any]:
    """Read TOML that a person wrote; a mark before UTF-8, as Windows editors write it, is none.

    Raises:
        ValueError: If it is no TOML, or nests too deeply; its text says what is wrong and where.
    """
    text = text.removeprefix("\ufeff")
    check_toml_nesting(text)
    return tomllib.loads(text)
