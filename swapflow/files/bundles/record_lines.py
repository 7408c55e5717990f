"""One line of a bundle's files, read into the value that it was written from."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from swapflow.domain.cohort.proposal import Outcome, Place, Standing, Verdict
from swapflow.domain.cycle import Position
from swapflow.domain.event import Event, EventType
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.records import DecisionRecord
from swapflow.untrusted.json_text import load_json


def event_of(cycle_id: str, row: Mapping[str, Any]) -> Event:
    """Read an event."""
    content = load_json(row["body"], finite=False)
    return Event(
        cycle_id=cycle_id,
        position=Position(row["seq"], row["hash"]),
        type=EventType(row["type"]),
        version=row["version"],
        payload=content["payload"],
        deltas=tuple(
            Delta(application=a, numerator=n, information=i, pending=p)
            for a, n, i, p in content["deltas"]
        ),
        spent=content["spent"],
        committed=content["committed"],
        at=datetime.fromisoformat(row["at"]),
    )


def decision_of(cycle_id: str, row: Mapping[str, Any]) -> DecisionRecord:
    """Read a decision."""
    return DecisionRecord(
        cycle_id=cycle_id,
        number=row["number"],
        read=Position(*row["read"]),
        digest=row["digest"],
        rules_version=row["rules_version"],
        why=row["why"],
        picks=tuple((a, k, o, p, tuple(r)) for a, k, o, p, r in row["picks"]),
        look={key: float(value) for key, value in row["look"].items()},
        cohort=tuple(row["cohort"]),
        contested=tuple(row["contested"]),
        stop=row["stop"],
        versions=row["versions"],
    )


def place_of(row: Mapping[str, Any]) -> Place:
    """Read a place of a list; people stand by number."""
    return Place(
        application=row["application"],
        external_id=str(row["application"]),
        name="",
        rank=row["rank"],
        standing=Standing(row["standing"]),
        estimate=row["estimate"],
        raw_mean=row["raw_mean"],
        margin=float(row["margin"]),
        evidence=row["evidence"],
        contested=row["contested"],
        tied=row["tied"],
        pulls=row["pulls"],
        floor_missing=row["floor_missing"],
    )


def outcome_of(row: Mapping[str, Any]) -> Outcome:
    """Read an outcome."""
    return Outcome(
        application=row["application"],
        verdict=Verdict(row["verdict"]),
        by=row.get("by", ""),
        reason="",
        at=datetime.fromisoformat(row["at"]),
    )
