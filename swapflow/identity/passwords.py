"""Passwords of staff: argon2id hashes, and the rules for a strong one."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from swapflow.errors import InvalidInputError


SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256

_HASHER = PasswordHasher()


@cache
def _nobodys() -> str:
    """Build a hash to compare with where there is none; not at import, since it takes a while."""
    return _HASHER.hash("nobody has this password")


def hash_password(password: str) -> str:
    """Hash a password with argon2id.

    Raises:
        InvalidInputError: If it is shorter than 12 or longer than 256 characters, or repeats
            a few characters only.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InvalidInputError(
            "password_length", shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD
        )
    if len(set(password)) < 5:  # noqa: PLR2004 - aaaabbbbcccc
        raise InvalidInputError("password_repeats")
    return _HASHER.hash(password)


def check_password(stored: str, password: str) -> bool:
    """Whether a password belongs to a hash; takes equally long for an account without one."""
    try:
        _HASHER.verify(stored or _nobodys(), password[:LONGEST_PASSWORD])
    except (VerificationError, InvalidHashError):
        return False
    return bool(stored)
