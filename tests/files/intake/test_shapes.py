"""Lists as other systems write them are recognised by their headers, and taken as they are."""

import json
from pathlib import Path

import pytest

from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.take import Sent, take_file
from tests.engine.cycle_by_hand import CYCLE, World


SLATE = (
    "Application Reference ID,Person Reference ID,First,Last,Email,Round,Bin,Submitted Date\n"
    "912345678,812345678,Ann,Lee,ann@example.org,Fall 2026,Review,2026-11-01\n"
)
WEBADMIT = (
    "CAS ID,First Name,Last Name,Email Address,Program Name,Designation ID,Application Status,"
    "Local Status,Date Verified\n"
    "1234567890,Ann,Lee,ann@example.org,MS Data,77,Verified,To review,2026-11-02\n"
    "1234567891,Bo,Ray,bo@example.org,MS Data,78,Withdrawn,To review,2026-11-02\n"
)
GREENHOUSE = json.dumps(
    {
        "candidates": [
            {
                "id": 71,
                "first_name": "Ann",
                "last_name": "Lee",
                "email_addresses": [
                    {"value": "ann@work.example.org", "type": "work"},
                    {"value": "ann@example.org", "type": "personal"},
                ],
            }
        ],
        "applications": [
            {"id": 912345678, "candidate_id": 71, "status": "active", "job_id": 5, "stage_id": 8}
        ],
    }
)
CANDIDATES = json.dumps(
    [
        {
            "id": 912345678,
            "first_name": "Ann",
            "last_name": "Lee",
            "email_addresses": [{"value": "ann@example.org", "type": "personal"}],
            "job_id": 3,
        }
    ]
)


def take(tmp_path: Path, text: str, name: str) -> tuple[World, IntakeAnswer]:
    world = World(launch=False, applications=0)
    path = tmp_path / name
    path.write_text(text)
    sent = Sent(path=path, name=name, via="command", by="ops")
    return world, take_file(sent, product=world.product, cycle_id=CYCLE)


@pytest.mark.parametrize(
    ("text", "name", "system", "id_"),
    [
        (SLATE, "slate.csv", "Slate", "912345678"),
        (WEBADMIT, "webadmit.csv", "Liaison (WebAdMIT)", "1234567890"),
        (GREENHOUSE, "greenhouse.json", "Greenhouse", "912345678"),
        (CANDIDATES, "candidates.json", "Greenhouse", "912345678"),
    ],
)
def test_a_list_of_each_system_is_taken_as_it_is(
    tmp_path: Path, text: str, name: str, system: str, id_: str
) -> None:
    world, answer = take(tmp_path, text, name)

    assert (answer.shape, answer.bad) == (system, ())
    ann = world.product.applicants.list(CYCLE)[0]
    assert (ann.external_id, ann.name, ann.email) == (id_, "Ann Lee", "ann@example.org")


def test_a_withdrawal_in_their_list_is_a_withdrawal(tmp_path: Path) -> None:
    world, _ = take(tmp_path, WEBADMIT, "webadmit.csv")

    assert [one.status.value for one in world.product.applicants.list(CYCLE)] == [
        "ready",
        "withdrawn",
    ]


def test_how_columns_were_taken_is_remembered_for_the_program(tmp_path: Path) -> None:
    world, _ = take(tmp_path, SLATE, "slate.csv")
    later = tmp_path / "later.csv"
    # Without what gives the system away, the columns are taken as they were.
    later.write_text("Application Reference ID,First,Last\n912345679,Bo,Ray\n")

    sent = Sent(path=later, name="later.csv", via="command", by="ops")
    answer = take_file(sent, product=world.product, cycle_id=CYCLE)

    assert answer.counts["new"] == 1
    assert world.product.applicants.list(CYCLE)[1].name == "Bo Ray"
