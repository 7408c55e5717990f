"""The dashboard as bytes, as the coordinator publishes it and the pages read it.

Written by hand: columns are arrays of fixed width; a general format would carry the same bytes
with the same code around it.
"""

import json
import zlib
from datetime import datetime
from typing import cast

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.situation import ListQuality
from swapflow.domain.cycle import Position
from swapflow.domain.event import Json
from swapflow.domain.rules import RuleName
from swapflow.engine.read_models.blocked_requests import BlockedRequest
from swapflow.engine.read_models.dashboard import FORMAT, Dashboard
from swapflow.engine.selection.assign import NoReviewer
from swapflow.engine.selection.reviewer_overlap import Groups
from swapflow.engine.selection.reviewer_severity import SeverityEstimates
from swapflow.errors import InvalidInputError


def encode_dashboard(dashboard: Dashboard) -> bytes:
    """Write a dashboard as bytes: a line of JSON, then the columns."""
    quality = dashboard.quality
    head = {
        "format": FORMAT,
        "seq": dashboard.position.seq,
        "hash": dashboard.position.hash,
        "at": dashboard.at.isoformat(),
        "places": dashboard.places,
        "reserved": dashboard.reserved,
        "floors_missing": dashboard.floors_missing,
        "certified_loss": dashboard.certified_loss,
        "rule": dashboard.rule.value,
        "quality": None if quality is None else _quality_head(quality),
        "rows": int(dashboard.application.size),
        "kinds": int(dashboard.closed.shape[1]),
        "reviewers": int(dashboard.severity.severity.size),
        "blocked": [[b.application, b.kind, b.obstacle.name] for b in dashboard.blocked],
        "blocked_count": dashboard.blocked_count,
        "apart": dashboard.apart,
    }
    # Fixed widths and four-byte floats: a page needs no more digits, and 20,000 rows stay small.
    columns = (
        dashboard.application.astype("<i4"),
        dashboard.estimate.astype("<f4"),
        dashboard.margin.astype("<f4"),
        dashboard.evidence.astype("<f4"),
        dashboard.pending.astype("<f4"),
        dashboard.in_list.astype("<u1"),
        dashboard.too_close.astype("<u1"),
        dashboard.closed.astype("<i2"),
        dashboard.severity.severity.astype("<f4"),
        dashboard.severity.error.astype("<f4"),
        dashboard.severity.apart.astype("<f4"),
        dashboard.severity.shared.astype("<i4"),
        dashboard.done.astype("<i4"),
        *(() if quality is None else (quality.likely.astype("<f4"),)),
    )
    body = b"".join(column.tobytes() for column in columns)
    return zlib.compress(json.dumps(head).encode() + b"\n" + body, level=1)


def decode_dashboard(packed: bytes) -> Dashboard:
    """Read what `encode_dashboard` wrote.

    Raises:
        InvalidInputError: If it is something else, or of another release.
    """
    try:
        line, _, body = zlib.decompress(packed).partition(b"\n")
        head = json.loads(line)
        if head["format"] != FORMAT:
            raise InvalidInputError("dashboard_of_another_release")
        return _read(head, body)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise InvalidInputError("dashboard_unreadable") from error


def _read(head: dict[str, Json], body: bytes) -> Dashboard:
    rows, kinds, people = (int(str(head[name])) for name in ("rows", "kinds", "reviewers"))
    taken = 0

    def column(kind: str, count: int) -> NDArray[np.generic]:
        nonlocal taken
        values = np.frombuffer(body, dtype=np.dtype(kind), count=count, offset=taken)
        taken += values.nbytes
        return values

    application = column("<i4", rows).astype(np.int64)
    estimate, margin, evidence, pending = (
        column("<f4", rows).astype(np.float64) for _ in range(4)
    )
    in_list, too_close = (column("<u1", rows).astype(np.bool_) for _ in range(2))
    closed = column("<i2", rows * kinds).astype(np.int64).reshape(rows, kinds)
    severity, error, apart = (column("<f4", people).astype(np.float64) for _ in range(3))
    shared, done = (column("<i4", people).astype(np.int64) for _ in range(2))
    likely = column("<f4", 0 if head["quality"] is None else rows).astype(np.float64)
    return Dashboard(
        position=Position(int(str(head["seq"])), str(head["hash"])),
        at=datetime.fromisoformat(str(head["at"])),
        places=int(str(head["places"])),
        reserved=int(str(head["reserved"])),
        floors_missing=int(str(head["floors_missing"])),
        certified_loss=_number(head["certified_loss"]),
        rule=RuleName(str(head["rule"])),
        quality=None if head["quality"] is None else _quality(head["quality"], likely),
        application=application,
        estimate=estimate,
        margin=margin,
        evidence=evidence,
        in_list=in_list,
        too_close=too_close,
        pending=pending,
        closed=closed,
        blocked=_blocked(head["blocked"]),
        blocked_count=int(str(head["blocked_count"])),
        done=done,
        severity=SeverityEstimates(severity=severity, error=error, apart=apart, shared=shared),
        apart=_groups(head.get("apart", [])),
    )


def _quality_head(quality: ListQuality) -> list[float]:
    """Return the numbers about the whole list."""
    return [
        quality.expected_loss,
        *quality.loss_range,
        quality.belong,
        *quality.belong_range,
    ]


def _quality(numbers: Json, likely: NDArray[np.float64]) -> ListQuality:
    assert isinstance(numbers, list)
    loss, lowest, highest, belong, fewest, most = (float(str(number)) for number in numbers)
    return ListQuality(
        expected_loss=loss,
        loss_range=(lowest, highest),
        likely=likely,
        belong=belong,
        belong_range=(fewest, most),
    )


def _groups(rows: Json) -> Groups:
    """Read groups; a dashboard of the release before has none."""
    assert isinstance(rows, list)
    return tuple(tuple(int(str(number)) for number in cast("list[Json]", row)) for row in rows)


def _blocked(rows: Json) -> tuple[BlockedRequest, ...]:
    assert isinstance(rows, list)
    found = []
    for row in rows:
        assert isinstance(row, list)
        application, kind, name = row
        found.append(
            BlockedRequest(
                application=int(str(application)),
                kind=int(str(kind)),
                obstacle=NoReviewer[str(name)],
            )
        )
    return tuple(found)


def _number(value: Json) -> float | None:
    return None if value is None else float(str(value))
