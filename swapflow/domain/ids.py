"""Natural ids: what a thing is, spelled so that making it twice makes the same row twice."""

import hashlib
import re
import secrets
import unicodedata


CYCLE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
KIND_NAME = re.compile(r"[a-z][a-z0-9_-]{0,23}")


def same_id(external_id: str) -> str:
    """Reduce an office's id to what tells people apart: case, width and spaces do not."""
    plain = unicodedata.normalize("NFKC", external_id).casefold()
    return " ".join(plain.split())


def pull_id(cycle_id: str, application: int, kind: str, ordinal: int) -> str:
    """Name the `ordinal`-th pull (from 1) of one kind of one application."""
    return f"{cycle_id}:{application}:{kind}:{ordinal}"


def assignment_id(pull: str, seat: int, attempt: int) -> str:
    """Name the `attempt`-th try (from 1) to fill one seat (from 1) of a pull."""
    return f"{pull}:{seat}.{attempt}"


def pull_of(assignment: str) -> str:
    """Give the pull that an assignment belongs to."""
    return assignment.rsplit(":", 1)[0]


def cycle_of(natural_id: str) -> str:
    """Give the cycle that a pull or an assignment belongs to."""
    return natural_id.split(":", 1)[0]


def new_task_key() -> str:
    """Make the secret from which a cycle's task codes come."""
    return secrets.token_hex(32)


def task_code(assignment: str, *, key: str) -> str:
    """Give the code by which a reviewer names an assignment: "cycle:0123456789abcdef".

    The id itself tells how often and in which order an applicant was asked about, which reviewers
    are not shown; and ids can be guessed, which must not give the codes away.

    Args:
        assignment: The assignment's id.
        key: The cycle's secret, hexadecimal.
    """
    digest = hashlib.blake2b(assignment.encode(), key=bytes.fromhex(key), digest_size=8)
    return f"{cycle_of(assignment)}:{digest.hexdigest()}"
