"""Applicants for practice programs: invented from a seed, plainly so, with small files to read.

Nothing of a real applicant comes in: what is taken from the program is what its rules name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.ties import tie_key
from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import Rules
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.i18n.languages import gettext, gettext_noop


OTHER = "other"
"""Value of a selection attribute that no limit of the rules names."""

HOST = "invented.example"
"""Host of invented addresses: no name under `.example` exists (RFC 2606), so none gets mail."""

FIRST = (
    "Amara", "Bruno", "Chidi", "Dilara", "Emre", "Freya", "Goran", "Hana", "Ines", "Jonas",
    "Kaya", "Linus", "Mira", "Nuria", "Oskar", "Pia", "Quentin", "Rosa", "Sami", "Tove",
)  # fmt: skip

PLANS = (
    gettext_noop("a tide gauge that a village can build and read by itself"),
    gettext_noop("a field kit that shows farmers what their compost changes"),
    gettext_noop("a spoken dictionary, recorded with the last forty speakers"),
    gettext_noop("a stove that runs on what sugar mills throw away"),
    gettext_noop("a timetable that fits freight and night trains on one line"),
    gettext_noop("a count of eels by the sounds that they make"),
)

STRENGTHS = (
    gettext_noop("So far there is an idea and no plan: no partner, no budget, no first step."),
    gettext_noop("There is a plan by months. Who pays for the travel is left open."),
    gettext_noop("A first version ran for a season; its figures are given, with two gaps."),
    gettext_noop("A first version ran for two years, others copied it, and its costs are known."),
)
"""What a file tells about how far the work is, from little to much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InventedApplicants:
    """Applicants and their files, ready to come in.

    Attributes:
        columns: Columns of what they wrote, all of which reviewers may see.
    """

    people: tuple[NewApplication, ...]
    files: tuple[DocumentUpload, ...]
    columns: tuple[str, ...]


def invent(
    count: int, *, seed: int, cycle_id: str, rules: Rules, topics: Sequence[str] = ()
) -> InventedApplicants:
    """Invent applicants who fit a program's rules, in the language that is in use.

    Args:
        count: How many.
        seed: The same seed gives the same people.
        cycle_id: The program; it stands in their addresses, so that no two programs share one.
        rules: Their limits and targets name the groups that people belong to.
        topics: Fields in which the roster is expert; each applicant is of one.
    """
    stream = np.random.Generator(np.random.Philox(key=tie_key(seed, "invented applicants")))
    strengths = stream.integers(0, len(STRENGTHS), count)
    plans = stream.integers(0, len(PLANS), count)
    groups = attribute_values(rules)
    project, so_far = gettext("project"), gettext("so far")
    people, files = [], []
    for index in range(count):
        number = index + 1
        name = _name(number)
        told = {
            project: gettext(PLANS[int(plans[index])]),
            so_far: gettext(STRENGTHS[int(strengths[index])]),
        }
        external_id = f"P{number:03d}"
        people.append(
            NewApplication(
                external_id=external_id,
                name=name,
                email=f"{external_id.lower()}.{cycle_id}@{HOST}",
                ready=True,
                selection=_groups_of(index, groups),
                monitor={},
                fields={**told, **({"topic": topics[index % len(topics)]} if topics else {})},
            )
        )
        text = gettext(
            "Invented for practice. No applicant wrote this.\n\nThe project: %(plan)s.\n\n"
            "So far: %(so_far)s\n"
        ) % {"plan": told[project], "so_far": told[so_far]}
        path = f"{external_id}_{gettext('invented statement')}.txt"
        files.append(DocumentUpload(path=path, body=text.encode()))
    return InventedApplicants(people=tuple(people), files=tuple(files), columns=(project, so_far))


def attribute_values(rules: Rules) -> dict[str, tuple[str, ...]]:
    """Return the groups that rules name, by selection attribute, and one beside them."""
    named: dict[str, dict[str, None]] = {}
    limits = [
        *((one.attribute, one.value) for one in rules.quotas),
        *((one.attribute, one.value) for one in rules.targets),
    ]
    for attribute, value in limits:
        named.setdefault(attribute, {})[value] = None
    spread = [one.attribute for one in rules.objective.spread]
    for attribute in (rules.objective.attribute, *spread):
        if attribute:
            named.setdefault(attribute, {}).update({"A": None, "B": None})
    return {attribute: (*values, OTHER) for attribute, values in named.items()}


def _groups_of(index: int, groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Put applicants into the groups in turn; attributes cross, since each turns more slowly."""
    found, slower = {}, index
    for attribute, values in groups.items():
        found[attribute] = values[slower % len(values)]
        slower //= len(values)
    return found


def _name(number: int) -> str:
    """Return a name that nobody has: a first name, "Invented", and beyond the first a number."""
    first = FIRST[(number - 1) % len(FIRST)]
    again = (number - 1) // len(FIRST) + 1
    # Translators: the surname of every invented applicant of a practice program
    surname = gettext("Invented")
    return f"{first} {surname}" if again == 1 else f"{first} {surname} {again}"
