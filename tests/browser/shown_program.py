"""One program as an office has it, at two moments: near the cut, and before the committee.

Its people, marks and dates come from one seed, and every figure on every picture from its record.
"""

import time
from dataclasses import replace

import numpy as np

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import SeatLine
from swapflow.engine.interviews.slots import InterviewSlot
from swapflow.errors import SwapflowError
from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.identity.permissions import Role
from tests.browser.office import Deployment
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.waiting import wait_until


SHOWN = "computing"
OFFICER, CHAIR = "olga@example.org", "carla@example.org"

GIVEN = (
    "Amara", "Henrik", "Mei", "Lucía", "Jonas", "Farah", "Tomás", "Ingrid", "Rohan", "Claire",
    "Omar", "Zuzana", "Daniel", "Aoife", "Leyla", "Pavel", "Kenji", "Noor", "Sofia", "Marta",
    "Elias", "Thabo", "Hana", "Viktor", "Grace", "Luca", "Anya", "Björn", "Chidi", "Mina",
)  # fmt: skip
FAMILY = (
    "Nwosu", "Aalto", "Tanaka", "Ferrer", "Keller", "Siddiqui", "Oliveira", "Solheim", "Mehta",
    "Dubois", "Haddad", "Novotná", "Osei", "Brennan", "Demirci", "Sokolov", "Mori", "Al-Amin",
    "Marchetti", "Kowalska", "Lindgren", "Dlamini", "Kim", "Petrov", "Mensah", "Bianchi",
    "Ivanova", "Olsen", "Eze", "Featherstonehaugh-Papadimitriou",
)  # fmt: skip
READERS = (
    "Jörg Baumann", "Inês Duarte", "Tariq Aziz", "Sakura Ito", "Noam Levi", "Édith Piron",
    "Grace Okoye", "Ada Lindqvist", "Mateo Rossi", "Hanna Vogt",
)  # fmt: skip
REMARKS = (
    "Clear ideas; the pilot study is her own and honestly reported.",
    "Strong grades. I could not tell which part of the group project was theirs.",
    "The second letter says which part: the design of the study.",
    "",
)

PEOPLE, PLACES, HALF = 60, 12, 146


def furnish_program(up: Deployment) -> None:
    """Make the program, and bring it to the days on which those near the cut are read again."""
    up.staff(OFFICER, Role.ADMINISTRATOR, Role.OPERATIONS)
    up.staff(CHAIR, Role.CHAIR)
    product = up.product
    text = template(
        "admissions",
        places=PLACES, budget=4500, review_cost=20, interview_cost=60, reviews=2,
        zone="Europe/Berlin", signatures=2,
    )  # fmt: skip
    rules = parse_rules(text)
    review, interview = rules.kinds
    rules = replace(
        rules,
        lines=(SeatLine(name="funded", places=8), SeatLine(name="unfunded", places=4)),
        kinds=(review, replace(interview, total=12)),
        floors=tuple(f for f in rules.floors if f.kind == "review"),
    )
    product.cycles.new_round("autumn", name="Fall 2027")
    product.cycles.new(
        SHOWN, round_id="autumn", rules=rules, by=OFFICER, name="MSc Computer Science"
    )
    people = [
        applicant(
            str(1001 + n),
            name=f"{GIVEN[n % 30]} {FAMILY[(n + 7 * (n // 30)) % 30]}",
            email=f"applicant{n}@example.com",
            fields={"statement": "I want to build systems that people can check."},
        )
        for n in range(PEOPLE)
    ]
    product.applicants.import_all(SHOWN, people)
    product.applicants.choose_columns(SHOWN, {"statement": True}, by=OFFICER)
    roster = [
        replace(
            reviewer(f"R{n}", name=name, email=f"reader{n}@example.org"),
            capacity={"review": None, "interview": None},
        )
        for n, name in enumerate(READERS, start=1)
    ]
    product.reviewers.import_all(SHOWN, roster)
    for known in roster:
        up.staff(known.email)


def launch_program(up: Deployment) -> None:
    """Launch it, and answer until the reviews asked for are those near the cut."""
    up.product.cycles.launch(SHOWN, by=OFFICER)
    _answer(up, until=HALF)
    _settle_interviews(up)


def end_program(up: Deployment) -> None:
    """Answer what is open, hold the interviews, and end asking."""
    _answer(up, until=10_000)
    up.product.cycles.stop(SHOWN, by=OFFICER, reason="The committee meets on Wednesday.")
    up.product.meetings.open(SHOWN, by=CHAIR)


def _settle_interviews(up: Deployment) -> None:
    """Approve the interviews that are proposed, and set dates for half of them."""
    product = up.product
    proposed = [pull for pull, *_ in product.approvals.proposed(SHOWN)]
    if not proposed:
        return
    product.approvals.approve(SHOWN, proposed[:8], by=OFFICER)
    wanted = min(8, len(proposed))
    wait_until(
        lambda: len(product.reviewers.propose_dates(SHOWN).dates) >= wanted,
        what="panels are found for the interviews",
    )
    slots = [
        InterviewSlot(
            pull_id=one.requested.pull.id, starts_at=one.starts_at, minutes=one.requested.minutes
        )
        for one in product.reviewers.propose_dates(SHOWN).dates[: wanted // 2]
    ]
    product.reviewers.set_slots(SHOWN, slots, by=OFFICER)


def _answer(up: Deployment, *, until: int) -> None:
    """Answer until a number of reviews is in, or no more come for 20 seconds."""
    rng = np.random.default_rng(16)
    truth = np.clip(rng.normal(0.54, 0.155, PEOPLE), 0.05, 0.98)
    done, idle = len(up.product.scores.list(SHOWN)), time.monotonic()
    while done < until and time.monotonic() - idle < 20:
        for n in range(1, len(READERS) + 1):
            for task in up.tasks(SHOWN, f"R{n}")[:4]:
                if done < until and _mark(up, task, truth):
                    done, idle = done + 1, time.monotonic()
        time.sleep(0.2)


def _mark(
    up: Deployment, task: Assignment, truth: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> bool:
    rubric = up.product.cycles.rules(SHOWN).rubrics[task.kind]
    rng = np.random.default_rng([16, task.application, task.reviewer, task.kind])
    marks: dict[str, float | None] = {}
    for criterion in rubric.criteria:
        values = [value for value, _ in criterion.marks]
        wanted = values[0] + (values[-1] - values[0]) * (
            truth[task.application] + rng.normal(0, 0.13)
        )
        marks[criterion.name] = min(values, key=lambda value: abs(value - wanted))
    remark = REMARKS[(task.application + task.reviewer) % len(REMARKS)]
    try:
        up.product.tasks.submit([Answer(assignment_id=task.id, marks=marks, remark=remark)])
    except SwapflowError:
        # Answered elsewhere, or not asked for any more.
        return False
    return True
