"""People who were erased: keyed digests by which a later list is known to bring one back.

Only who has the round's key can compare a digest with an id or an address; without it a digest
says nothing of either.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from swapflow.domain.ids import same_id


_FLOAT = re.compile(r"(\d+)[.,]0+")


class ErasedAs(StrEnum):
    """What a person was in the program that they were erased from."""

    APPLICANT = "applicant"
    REVIEWER = "reviewer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDigests:
    """What is kept of an erased person, or of a row that is compared with one.

    Attributes:
        of_id: Of the office's id, for this program alone.
        of_address: Of the mail address, for every program of the round; "" without one.
    """

    of_id: str
    of_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedErasure:
    """One erasure of a round.

    Attributes:
        id: Random.
        cycle_id: The program that the person was erased from.
        key_id: Names the key that the digests were made with (`key_name`).
        day: When, in UTC.
        is_back: Whether staff confirmed since that they come back into that program.
    """

    id: str
    cycle_id: str
    erased_as: ErasedAs
    key_id: str
    digests: ErasureDigests
    day: date
    is_back: bool = False


def digests_of(
    erased_as: ErasedAs, cycle_id: str, external_id: str, email: str, *, key: bytes
) -> ErasureDigests:
    """Return the digests of a person, normalised as a list's ids and addresses are compared.

    Case, width and spaces do not count, nor do zeros before a number or decimals behind it, which
    spreadsheet programs add and remove.
    """
    address = same_id(email)
    return ErasureDigests(
        of_id=_digest(key, erased_as, f"id of {cycle_id}", loose_id(same_id(external_id))),
        of_address=_digest(key, erased_as, "address", address) if address else "",
    )


def key_name(key: bytes) -> str:
    """Return a short name of a key, from which nobody can compute it."""
    return hashlib.blake2b(key, digest_size=8, person=b"name of a key").hexdigest()


def loose_id(external_id: str) -> str:
    """Reduce an id to what a spreadsheet may have left of it: 0007 and 7.0 are 7."""
    whole = _FLOAT.fullmatch(external_id)
    text = whole[1] if whole else external_id
    return (text.lstrip("0") or "0") if text.isdigit() else text


def _digest(key: bytes, erased_as: ErasedAs, what: str, text: str) -> str:
    content = f"{erased_as.value}\0{what}\0{text}".encode()
    return hashlib.blake2b(content, key=key, digest_size=16, person=b"erased person").hexdigest()
