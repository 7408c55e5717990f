"""Records of Greenhouse's interface (Harvest v3) as rows of one list.

There a candidate is a person and an application is that person at one job; names and addresses are
the candidate's, so a list of applicants needs both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast


_CANDIDATE = frozenset({"id", "first_name", "last_name", "email_addresses"})
_APPLICATION = frozenset({"id", "candidate_id"})


def greenhouse_rows(members: Mapping[str, object]) -> list[object] | None:
    """Join applications with their candidates; None unless an object holds lists of both."""
    candidates, applications = members.get("candidates"), members.get("applications")
    if not (_all_have(candidates, _CANDIDATE) and _all_have(applications, _APPLICATION)):
        return None
    people = {str(one["id"]): one for one in _objects(candidates)}
    rows: list[object] = []
    for one in _objects(applications):
        person = people.get(str(one["candidate_id"]), {})
        own = {name: value for name, value in one.items() if name not in _APPLICATION}
        ids = {"application_id": one["id"], "candidate_id": one["candidate_id"]}
        rows.append({**ids, **_person(person), **own})
    return rows


def candidate_rows(items: list[object]) -> list[object]:
    """Return candidates under the headers of a list of applicants; other records as they came."""
    if not _all_have(items, _CANDIDATE):
        return items
    return [
        {
            "candidate_id": one["id"],
            **_person(one),
            **{name: value for name, value in one.items() if name not in _CANDIDATE},
        }
        for one in _objects(items)
    ]


def _person(candidate: Mapping[str, object]) -> dict[str, object]:
    return {
        "first_name": candidate.get("first_name"),
        "last_name": candidate.get("last_name"),
        "email": _address(candidate.get("email_addresses")),
    }


def _address(addresses: object) -> object:
    """Return the personal address of a candidate, else the first one."""
    known = [one for one in _objects(addresses) if one.get("value")]
    personal = [one for one in known if one.get("type") == "personal"]
    return (personal or known)[0]["value"] if known else ""


def _all_have(items: object, keys: frozenset[str]) -> bool:
    found = cast("Sequence[object]", items) if isinstance(items, list) else ()
    return bool(found) and all(isinstance(one, dict) and keys <= one.keys() for one in found)


def _objects(items: object) -> Iterable[Mapping[str, object]]:
    found = cast("Sequence[object]", items) if isinstance(items, list) else ()
    return [cast("Mapping[str, object]", one) for one in found if isinstance(one, dict)]
