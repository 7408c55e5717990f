"""Natural ids: creating the same thing twice gives the same row."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Collection
from functools import lru_cache


LONGEST_ID = 40
"""Characters of the id of a round or a program."""

CYCLE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_PRACTICE_ID = re.compile(r".+-practice-[0-9a-f]{6}")
KIND_NAME = re.compile(r"[a-z][a-z0-9_-]{0,23}")

MOST_KEPT = 20_000
"""Codes and numbers kept in one process: a reviewer's list asks for the same ones each time."""


def same_id(external_id: str) -> str:
    """Normalise an office's id: case, width and spaces do not count."""
    # NFKC first: full-width letters have a case of their own,
    # which casefold would leave full-width.
    plain = unicodedata.normalize("NFKC", external_id).casefold()
    return " ".join(plain.split())


def pull_id(cycle_id: str, application: int, kind: str, ordinal: int) -> str:
    """Return the id of the `ordinal`-th pull (from 1) of one kind of one application."""
    return f"{cycle_id}:{application}:{kind}:{ordinal}"


def assignment_id(pull: str, seat: int, attempt: int) -> str:
    """Return the id of the `attempt`-th try (from 1) to fill one seat (from 1) of a pull."""
    return f"{pull}:{seat}.{attempt}"


def pull_of(assignment: str) -> str:
    """Return the pull that an assignment belongs to."""
    return assignment.rsplit(":", 1)[0]


def cycle_of(natural_id: str) -> str:
    """Return the cycle that a pull or an assignment belongs to."""
    return natural_id.split(":", 1)[0]


def application_of(natural_id: str) -> str:
    """Return what names the application of a pull or an assignment: "cycle:number"."""
    return ":".join(natural_id.split(":", 2)[:2])


def applicant_mails(cycle_id: str) -> str:
    """Return what the ids of a cycle's mails to applicants begin with, but for letters."""
    return f"{cycle_id}:applicant:"


def applicant_mail_id(cycle_id: str, application: int, what: str = "") -> str:
    """Return the id of a mail to an applicant that is no letter; without `what`, how all begin."""
    return f"{applicant_mails(cycle_id)}{application}:{what}"


def is_practice_id(cycle_id: str) -> bool:
    """Whether an id is one of a practice program: files that leave the house say so by it.

    No real program is given such an id. What may be done to a program never rests on it, but on
    its row.
    """
    return _PRACTICE_ID.fullmatch(cycle_id) is not None


def new_task_key() -> str:
    """Build the secret key of a cycle's task codes."""
    return secrets.token_hex(32)


@lru_cache(maxsize=MOST_KEPT)
def task_code(assignment: str, *, key: str) -> str:
    """Return the code by which a reviewer names an assignment: "cycle:0123456789abcdef".

    The id itself discloses how often and in which order an applicant was asked about, which
    reviewers are not shown; and ids can be guessed, which must not disclose the codes.

    Args:
        assignment: The assignment's id.
        key: The cycle's secret, hexadecimal.
    """
    # Eight bytes are short enough to type at a terminal; without the key no code can be computed.
    digest = hashlib.blake2b(assignment.encode(), key=bytes.fromhex(key), digest_size=8)
    return f"{cycle_of(assignment)}:{digest.hexdigest()}"


@lru_cache(maxsize=MOST_KEPT)
def applicant_number(application: int, *, key: str) -> int:
    """Return the number by which reviewers of a blind program know an applicant.

    It is random by the program's key, the same for an applicant each time, and no two of a program
    share one: six digits, nine from the 900,001st applicant on.

    Args:
        application: The applicant's number in the cycle, from 0.
        key: The cycle's secret, hexadecimal.
    """
    first, half = (10**5, 10) if application < _SIX_DIGITS else (10**8, 15)
    number = application
    # A Feistel network permutes the numbers of 2 * half bits; those that have too many digits are
    # permuted again, which keeps it a permutation of the others.
    while True:
        number = _permuted(number, half=half, key=key)
        if number < 9 * first:
            return number + first


def reviewer_number(reviewer: int, *, key: str) -> int:
    """Return the number under which figures about a reviewer stand, where they are not named.

    It is random by the program's key and the same each time; no two of a program share one.

    Args:
        reviewer: The reviewer's number on the roster, from 0.
        key: The cycle's secret, hexadecimal.
    """
    few = 1 << 12
    if reviewer < few:
        return _permuted(reviewer, half=6, key=key) + 1
    return _permuted(reviewer, half=12, key=key) + 1 + few


_SIX_DIGITS = 9 * 10**5
"""How many numbers have six digits."""

_FEISTEL_ROUNDS = 8


def _permuted(number: int, *, half: int, key: str) -> int:
    """Permute the numbers of 2 * half bits by a key."""
    mask = (1 << half) - 1
    left, right = number >> half, number & mask
    for turn in range(_FEISTEL_ROUNDS):
        digest = hashlib.blake2b(
            f"{half}:{turn}:{right}".encode(),
            key=bytes.fromhex(key),
            digest_size=8,
            # Apart from task codes, which have the same key.
            person=b"applicant number",
        )
        left, right = right, left ^ (int.from_bytes(digest.digest(), "big") & mask)
    return left << half | right


def derived_id(name: str, taken: Collection[str], *, otherwise: str = "program") -> str:
    """Derive an id from a name: "MSc Informatik (Köln)" gives `msc-informatik-koln`.

    Args:
        name: The name, in any script; one without a Latin letter or a digit gives
            what `otherwise` says.
        taken: Ids that are in use; a number behind the id makes it another one.
        otherwise: The id of a name from which none can be made.
    """
    plain = unicodedata.normalize("NFKD", name.lower().replace("ß", "ss"))
    kept = "".join(c for c in plain if not unicodedata.combining(c))
    base = re.sub(r"[^a-z0-9]+", "-", kept).strip("-")[:LONGEST_ID].strip("-") or otherwise
    number, made = 2, base
    while made in taken:
        ending = f"-{number}"
        number, made = number + 1, base[: LONGEST_ID - len(ending)].strip("-") + ending
    return made
