"""The contents of Redis: every key, its type and its meaning.

| key | type | content |
|---|---|---|
| `sf:{C}:meta` | hash | `seq`, `hash`: the position; `spent`, `committed`; `arms`: n |
| `sf:{C}:num` | string | numerator of arm i: bytes 8i to 8i + 7, signed big-endian |
| `sf:{C}:inf` | string | information, likewise |
| `sf:{C}:pend` | string | pending information, likewise |
| `sf:{C}:board` | string | the dashboard that pages read, as encoded by the coordinator |
| `sf:quarantine` | hash | cycles that stand still: event, reason and time of each, as JSON |
| `sf:bell` | list | one cycle id per ring not yet heard, at most `BELL_RINGS` |
| `sf:untrusted-proxy` | string | address of a proxy that nobody trusts, for a week |

C is the cycle's id. The braces are part of the key: they keep the keys of a cycle in one
slot of a Redis cluster. The three strings are always 8n bytes long; a state where they are not
was damaged from outside and counts as unknown. A finished cycle keeps its keys for a day. All of
it can be rebuilt from the ledger. Celery's own keys share the server and start with `sfq:`.
"""

from typing import NamedTuple


BELL = "sf:bell"
"""The doorbell's list."""

QUARANTINE = "sf:quarantine"
"""The hash of the cycles that stand still."""

BELL_RINGS = 8
"""Most stored rings: a ring only means that there is something new, and one is enough."""

UNTRUSTED_PROXY = "sf:untrusted-proxy"
"""The address of the last proxy that forwarded a request and is not trusted."""


class CycleKeys(NamedTuple):
    """The keys of one cycle, in the order in which the scripts take them."""

    meta: str
    numerator: str
    information: str
    pending: str


def cycle_keys(cycle_id: str) -> CycleKeys:
    """Return the keys of a cycle."""
    prefix = f"sf:{{{cycle_id}}}:"
    return CycleKeys(prefix + "meta", prefix + "num", prefix + "inf", prefix + "pend")


def dashboard_key(cycle_id: str) -> str:
    """Return the key of a cycle's dashboard."""
    return f"sf:{{{cycle_id}}}:board"
