"""What the reading of a spreadsheet may take: bytes, seconds, memory."""

import os
import resource
from datetime import timedelta


MOST_BYTES = 5_000_000
"""Bytes of the spreadsheet."""

MOST_SECONDS = 20
"""Seconds of one reading, by the clock and of a processor."""

MEGABYTE = 1024 * 1024

MOST_MEMORY = 512 * MEGABYTE
"""Bytes of memory that a reading may map."""

MOST_WRITTEN = 20_000_000
"""Bytes of each file that it writes."""

KEPT = timedelta(minutes=15)
"""How long an answer is kept."""

MOST_RUNNING = 2
"""Readings under way at the same time, of all addresses together."""

MOST_KEPT = 100
"""Answers kept at the same time: a bound on the disk."""

MOST_REQUESTS = 500
"""Requests of one answer."""


def restrict() -> None:
    """Bind this process to the limits, for good; called before anything of the file is read."""
    # A lower limit that is in force already, such as a container's, stays.
    _limit(resource.RLIMIT_AS, MOST_MEMORY)
    _limit(resource.RLIMIT_CPU, MOST_SECONDS)
    _limit(resource.RLIMIT_FSIZE, MOST_WRITTEN)
    # A dump of the memory would hold the marks, and outlive the answer.
    _limit(resource.RLIMIT_CORE, 0)
    os.umask(0o077)


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (bound, bound))
