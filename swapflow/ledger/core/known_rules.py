"""Rules read and parsed once a process: every page and every write needs them."""

import hashlib
from threading import Lock

from cachetools import LRUCache
from sqlalchemy import Connection, bindparam, select

from swapflow.domain.rules import Rules
from swapflow.errors import NotFoundError
from swapflow.ledger.core.row_mapping import to_rules
from swapflow.ledger.schema import CYCLE, RULES


MOST_KEPT = 64
"""Rules kept in one process, some ten thousand bytes each."""

CURRENT = (CYCLE.c.id == RULES.c.cycle_id) & (CYCLE.c.rules_version == RULES.c.version)
"""Joins a cycle to the version of its rules that is in force."""

_RULES = select(RULES.c.body, RULES.c.digest).where(
    RULES.c.cycle_id == bindparam("cycle"), RULES.c.version == bindparam("version")
)
_KNOWN: LRUCache[str, Rules] = LRUCache(MOST_KEPT)
_LOCK = Lock()


def rules_of(connection: Connection, cycle_id: str, version: int, digest: str | None) -> Rules:
    """Return a rules version, from memory if its stored digest is known.

    Args:
        connection: Where to read them if they are not known.
        cycle_id: The cycle.
        version: The version.
        digest: The digest stored with it; None when it was not read.

    Raises:
        NotFoundError: If there is no such version.
        DamagedRecordError: If its text cannot be read, which is then not kept.
    """
    known = _known(digest) if digest else None
    return known or read_rules(connection, cycle_id, version)


def read_rules(connection: Connection, cycle_id: str, version: int) -> Rules:
    """Read one rules version.

    Raises:
        NotFoundError: If there is no such version.
        DamagedRecordError: If its text cannot be read.
    """
    row = connection.execute(_RULES, {"cycle": cycle_id, "version": version}).one_or_none()
    if row is None:
        raise NotFoundError("rules_version_not_found", cycle=cycle_id, version=version)
    if hashlib.sha256(row.body.encode()).hexdigest() != row.digest:
        # Changed behind its digest, which does not name it any more.
        return to_rules(cycle_id, row.body)
    rules = _known(row.digest)
    if rules is None:
        rules = to_rules(cycle_id, row.body)
        with _LOCK:
            _KNOWN[row.digest] = rules
    return rules


def _known(digest: str) -> Rules | None:
    with _LOCK:
        return _KNOWN.get(digest)
