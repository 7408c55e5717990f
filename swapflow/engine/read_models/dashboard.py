"""The board: how a cycle stands, as one small piece of bytes that every page can read.

The coordinator has all of it in memory and publishes it beside the live state. A page that reads
it needs neither the events nor the scores, so a refresh costs the same on the first day as on the
last. Losing a board is harmless: it is made again from the ledger.
"""

import json
import math
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.estimation.posterior import Fitted
from swapflow.domain.cycle import Position
from swapflow.domain.event import Json
from swapflow.engine.ports import Arms, Integers
from swapflow.engine.projection.cycle_projection import Book
from swapflow.engine.read_models.blocked_requests import Blocked, blocked
from swapflow.engine.selection.assign import Obstacle
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.reviewer_overlap import Groups, lasting
from swapflow.engine.selection.reviewer_severity import Judging, judging
from swapflow.engine.selection.situation import candidates, see
from swapflow.errors import InvalidInputError


FORMAT = 3
"""Goes up when older boards cannot be read any more; they are then made again."""

MOST_BLOCKED = 100
"""Blocked requests that a board names; it counts all of them."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """How a cycle stands at one event; rows are candidates in the order of their ranks.

    Attributes:
        position: The event that all of it includes.
        at: When it was made.
        places: Places of the program.
        reserved: Cost kept back for floors, for the chosen and for staff.
        floors_missing: Floor reviews not yet asked for.
        certified_loss: The most the list could still gain; None before the first score.
        expected_loss: The model's estimate of that; None without a model.
        application: Application numbers, shape (n,).
        estimate: Estimated score in [0, 1], shape (n,); NaN before a first review is in.
        margin: Margin of each estimate, shape (n,).
        evidence: Evidence received, in reviews of the first kind, shape (n,).
        in_list: In the list that is best at this moment, shape (n,).
        contested: Too close to call, shape (n,).
        pending: Evidence asked for and not received, in reviews of the first kind, shape (n,).
        closed: Reviews received, shape (n, kinds).
        blocked: Requests that cannot go out, `MOST_BLOCKED` at most.
        blocked_count: How many there are in all.
        done: Reviews that each reviewer has given, shape (reviewers,).
        judging: How the reviewers judge, by their numbers.
        apart: Groups of reviewers, by number, that panels keep from ever sharing an applicant;
            empty where all can be compared, or will be.
    """

    position: Position
    at: datetime
    places: int
    reserved: int
    floors_missing: int
    certified_loss: float | None
    expected_loss: float | None
    application: Integers
    estimate: Floats
    margin: Floats
    evidence: Floats
    in_list: Flags
    contested: Flags
    pending: Floats
    closed: Integers
    blocked: tuple[Blocked, ...]
    blocked_count: int
    done: Integers
    judging: Judging
    apart: Groups = ()

    def received(self, kinds: int) -> Integers:
        """Give `closed` for so many kinds, shape (n, kinds).

        Kinds may be appended while a program runs, and rules are in force before a board is made
        by them: of a kind it does not know yet it has received nothing.
        """
        missing = max(0, kinds - self.closed.shape[1])
        return np.pad(self.closed, ((0, 0), (0, missing)))[:, :kinds]


def make_board(book: Book, arms: Arms, *, fitted: Fitted | None, at: datetime) -> Board:
    """Say how a cycle stands; `book` and `arms` must stand at the same position."""
    numbers = candidates(book)
    sight = see(book, arms)
    size, kinds = numbers.size, len(book.rules.kinds)
    estimate = np.full(size, np.nan)
    margin = np.full(size, np.nan)
    in_list, contested = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    losses: tuple[float | None, float | None] = (None, None)
    order = np.arange(size)
    if size and arms.information.any():
        sight, look, _ = look_now(book, arms, fitted=fitted)
        order = ranking(book, sight, look)
        estimate, margin = look.estimate, look.radius
        in_list[look.cohort] = True
        contested[look.contested] = True
        losses = (_known(look.certified_loss), _known(look.expected_loss))
        # What a model expects of somebody nobody has reviewed is no score to be shown.
        unseen = sight.situation.information == 0
        estimate = np.where(unseen, np.nan, estimate)
        margin = np.where(unseen, np.nan, margin)
    rows = sight.application[order] if size else numbers
    stuck = blocked(book, sight)
    return Board(
        position=book.position,
        at=at,
        places=book.rules.cohort_size,
        reserved=sight.reserved,
        floors_missing=int(sight.floors_missing.sum()),
        certified_loss=losses[0],
        expected_loss=losses[1],
        application=rows,
        estimate=estimate[order],
        margin=margin[order],
        evidence=sight.situation.information[order].astype(np.float64),
        in_list=in_list[order],
        contested=contested[order],
        pending=sight.situation.pending[order].astype(np.float64),
        closed=book.closed()[rows].reshape(size, kinds),
        blocked=stuck[:MOST_BLOCKED],
        blocked_count=len(stuck),
        done=np.array([sum(f.load.values()) - f.out for f in book.reviewers], dtype=np.int64),
        judging=judging(
            sight.situation.scores,
            n=size,
            kinds=sight.situation.kinds,
            reviewers=len(book.reviewers),
            fitted=fitted,
        ),
        apart=_apart(book),
    )


def _apart(book: Book) -> Groups:
    """Name groups of reviewers that stay apart; without panels anybody may come to share."""
    groups = lasting(book) if book.panels else ()
    return groups if len(groups) > 1 else ()


def pack_board(board: Board) -> bytes:
    """Spell a board as bytes: a line of JSON, then the columns."""
    head = {
        "format": FORMAT,
        "seq": board.position.seq,
        "hash": board.position.hash,
        "at": board.at.isoformat(),
        "places": board.places,
        "reserved": board.reserved,
        "floors_missing": board.floors_missing,
        "certified_loss": board.certified_loss,
        "expected_loss": board.expected_loss,
        "rows": int(board.application.size),
        "kinds": int(board.closed.shape[1]),
        "reviewers": int(board.judging.severity.size),
        "blocked": [[b.application, b.kind, b.obstacle.name] for b in board.blocked],
        "blocked_count": board.blocked_count,
        "apart": board.apart,
    }
    columns = (
        board.application.astype("<i4"),
        board.estimate.astype("<f4"),
        board.margin.astype("<f4"),
        board.evidence.astype("<f4"),
        board.pending.astype("<f4"),
        board.in_list.astype("<u1"),
        board.contested.astype("<u1"),
        board.closed.astype("<i2"),
        board.judging.severity.astype("<f4"),
        board.judging.error.astype("<f4"),
        board.judging.apart.astype("<f4"),
        board.judging.shared.astype("<i4"),
        board.done.astype("<i4"),
    )
    body = b"".join(column.tobytes() for column in columns)
    return zlib.compress(json.dumps(head).encode() + b"\n" + body, level=1)


def unpack_board(packed: bytes) -> Board:
    """Read what `pack_board` wrote.

    Raises:
        InvalidInputError: If it is something else, or of another release.
    """
    try:
        line, _, body = zlib.decompress(packed).partition(b"\n")
        head = json.loads(line)
        if head["format"] != FORMAT:
            raise InvalidInputError("this board is of another release")
        return _read(head, body)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise InvalidInputError("this is no board") from error


def _read(head: dict[str, Json], body: bytes) -> Board:
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
    in_list, contested = (column("<u1", rows).astype(np.bool_) for _ in range(2))
    closed = column("<i2", rows * kinds).astype(np.int64).reshape(rows, kinds)
    severity, error, apart = (column("<f4", people).astype(np.float64) for _ in range(3))
    shared, done = (column("<i4", people).astype(np.int64) for _ in range(2))
    return Board(
        position=Position(int(str(head["seq"])), str(head["hash"])),
        at=datetime.fromisoformat(str(head["at"])),
        places=int(str(head["places"])),
        reserved=int(str(head["reserved"])),
        floors_missing=int(str(head["floors_missing"])),
        certified_loss=_number(head["certified_loss"]),
        expected_loss=_number(head["expected_loss"]),
        application=application,
        estimate=estimate,
        margin=margin,
        evidence=evidence,
        in_list=in_list,
        contested=contested,
        pending=pending,
        closed=closed,
        blocked=_blocked(head["blocked"]),
        blocked_count=int(str(head["blocked_count"])),
        done=done,
        judging=Judging(severity=severity, error=error, apart=apart, shared=shared),
        apart=_groups(head.get("apart", [])),
    )


def _groups(rows: Json) -> Groups:
    """Read groups; a board of the release before names none."""
    assert isinstance(rows, list)
    return tuple(tuple(int(str(number)) for number in cast("list[Json]", row)) for row in rows)


def _blocked(rows: Json) -> tuple[Blocked, ...]:
    assert isinstance(rows, list)
    found = []
    for row in rows:
        assert isinstance(row, list)
        application, kind, name = row
        found.append(
            Blocked(
                application=int(str(application)),
                kind=int(str(kind)),
                obstacle=Obstacle[str(name)],
            )
        )
    return tuple(found)


def _known(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else float(value)


def _number(value: Json) -> float | None:
    return None if value is None else float(str(value))
