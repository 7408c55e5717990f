"""Files of other systems by the API: one at once, a large one in pieces, and results back."""

import hashlib
import io
import zipfile
from dataclasses import replace
from typing import Any

from swapflow.identity.permissions import Role
from swapflow.settings import Settings
from tests.web.site import SITE_RULES, Site


PLACE = "/api/v1/cycles/fall"
LIST = "id,name,email\nB1,Ann Lee,ann@example.org\n"
BAD = LIST + "B2,Bo,no address\n,Cy,cy@example.org\nB1,Other,x@example.org\n"


def started(site: Site) -> Any:  # noqa: ANN401 - a client
    site.launched("fall", rules=replace(SITE_RULES, rubrics=()), launch=False)
    return site.signed_in(Role.COORDINATOR)


def archive(count: int, *, size: int = 1000) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for number in range(count):
            packed.writestr(f"A00{number % 3 + 1}/{number}.txt", f"{number} ".encode() * size)
    return file.getvalue()


def announce(staff: Any, body: bytes, name: str = "all.zip") -> dict[str, Any]:  # noqa: ANN401
    said = {"name": name, "size": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    answer = staff.post(f"{PLACE}/uploads", json=said)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def put(staff: Any, upload: str, body: bytes, offset: int) -> Any:  # noqa: ANN401
    return staff.put(
        f"{PLACE}/uploads/{upload}?offset={offset}",
        content=body,
        headers={"Content-Type": "application/octet-stream"},
    )


def test_a_list_is_taken_at_once_and_the_same_one_changes_nothing(site: Site) -> None:
    staff = started(site)

    first = staff.post(f"{PLACE}/exchange", files={"file": ("n.csv", LIST)}).json()
    second = staff.post(f"{PLACE}/exchange", files={"file": ("n.csv", LIST)}).json()

    assert (first["outcome"], first["counts"], first["again"]) == ("taken", {"new": 1}, False)
    assert second["again"] is True
    (shown,) = staff.get(f"{PLACE}/exchange").json()["items"]
    assert (shown["via"], shown["sha256"]) == ("API", hashlib.sha256(LIST.encode()).hexdigest())


def test_a_list_with_three_bad_rows_changes_nothing_and_waits_for_a_person(site: Site) -> None:
    staff = started(site)
    before = staff.get(f"{PLACE}/applicants").json()["items"]

    answer = staff.post(f"{PLACE}/exchange", files={"file": ("n.csv", BAD)}).json()

    assert [(row["line"], bool(row["cure"])) for row in answer["bad"]] == [
        (3, True),
        (4, True),
        (5, True),
    ]
    assert staff.get(f"{PLACE}/applicants").json()["items"] == before
    (shown,) = staff.get(f"{PLACE}/exchange").json()["items"]
    assert (shown["for_people"], len(shown["places"])) == (3, 3)
    assert any(one.code == "intake" for one in site.product.pending.in_cycle("fall"))
    done = staff.post(f"{PLACE}/exchange/{shown['number']}/done").json()
    assert done["for_people"] == 0
    assert not any(one.code == "intake" for one in site.product.pending.in_cycle("fall"))


def test_a_large_file_comes_in_pieces_and_goes_on_where_it_was_cut(site: Site) -> None:
    staff = started(site)
    body = archive(6, size=20_000)
    one = announce(staff, body)
    assert (one["offset"], one["whole"]) == (0, False)

    half = len(body) // 2
    assert put(staff, one["upload"], body[:half], 0).json()["offset"] == half
    # Sent twice, or after a cut from a wrong place: it says where the file stands.
    wrong = put(staff, one["upload"], body[:half], 0)
    assert (wrong.status_code, wrong.json()["params"]["offset"]) == (409, half)
    assert announce(staff, body) == {**one, "offset": half}
    assert staff.post(f"{PLACE}/uploads/{one['upload']}/take").status_code == 409
    assert put(staff, one["upload"], body[half:], half).json()["whole"] is True

    taken = staff.post(f"{PLACE}/uploads/{one['upload']}/take").json()

    assert taken["counts"] == {"stored": 6}
    assert staff.get(f"{PLACE}/uploads/{one['upload']}").status_code == 404
    again = announce(staff, body)
    put(staff, again["upload"], body, 0)
    assert staff.post(f"{PLACE}/uploads/{again['upload']}/take").json()["again"] is True


def test_what_is_not_what_was_announced_is_thrown_away(site: Site) -> None:
    staff = started(site)
    one = announce(staff, b"x" * 100)
    put(staff, one["upload"], b"y" * 100, 0)

    refused = staff.post(f"{PLACE}/uploads/{one['upload']}/take")

    assert (refused.status_code, refused.json()["code"]) == (422, "upload_digest_differs")
    assert staff.get(f"{PLACE}/uploads/{one['upload']}").status_code == 404


def test_more_than_was_announced_is_refused(site: Site) -> None:
    staff = started(site)
    one = announce(staff, b"x" * 100)

    assert put(staff, one["upload"], b"x" * 101, 0).json()["code"] == "upload_longer_than_said"
    assert staff.get(f"{PLACE}/uploads/{one['upload']}").json()["offset"] == 0


def test_an_upload_is_its_owners_alone(site: Site) -> None:
    staff = started(site)
    one = announce(staff, b"x" * 100)
    other = site.signed_in(Role.COORDINATOR, email="other@example.org")

    assert other.get(f"{PLACE}/uploads/{one['upload']}").status_code == 404
    assert put(other, one["upload"], b"x", 0).status_code == 404
    assert other.delete(f"{PLACE}/uploads/{one['upload']}").status_code == 404
    assert staff.delete(f"{PLACE}/uploads/{one['upload']}").status_code == 200
    assert staff.get(f"{PLACE}/uploads/{one['upload']}").status_code == 404


def test_an_index_may_be_an_upload_too(site: Site) -> None:
    staff = started(site)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("1.txt", "one")
    body, index = file.getvalue(), b"applicant,file\nA002,1.txt\n"
    one, beside = announce(staff, body), announce(staff, index, "index.csv")
    put(staff, one["upload"], body, 0)
    put(staff, beside["upload"], index, 0)

    taken = staff.post(f"{PLACE}/uploads/{one['upload']}/take?index={beside['upload']}").json()

    assert taken["counts"] == {"stored": 1}
    assert [d.name for d in site.product.applicants.files("fall", 1)] == ["1.txt"]


def test_a_file_beyond_the_limit_is_refused_before_a_byte_of_it(site: Site) -> None:
    staff = started(site)
    most = Settings().drop_mb * 1_000_000
    said = {"name": "big.zip", "size": most + 1, "sha256": "0" * 64}

    refused = staff.post(f"{PLACE}/uploads", json=said)

    assert (refused.status_code, refused.json()["code"]) == (422, "file_too_large")


def test_words_of_results_are_named_and_results_wait_for_the_list(site: Site) -> None:
    staff = started(site)

    named = staff.put(f"{PLACE}/results", json={"selected": "Admit"}).json()

    assert named["words"]["selected"] == "Admit"
    assert staff.get(f"{PLACE}/results").json()["words"]["waitlisted"] == "waitlisted"
    early = staff.get(f"{PLACE}/results/decisions.csv")
    assert (early.status_code, early.json()["code"]) == (422, "results_not_decided")
    assert staff.get(f"{PLACE}/results/passwd.csv").status_code == 404
    assert staff.post(f"{PLACE}/results").json()["code"] == "drop_folder_missing"
