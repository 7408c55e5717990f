"""The page of other systems: where files arrive, what came, and what goes back."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from swapflow.files.intake.drop_folder import make_drop_folder
from swapflow.identity.permissions import Role
from tests.web.forms import revision_in
from tests.web.site import Site


PLACE = "/setup/fall/exchange"
BAD = "id,name,email\nB1,Ann,ann@example.org\nB2,Bo,no address\n"
GOOD = "id,name,email\nB1,Ann,ann@example.org\n"


def send(client: object, text: str) -> str:
    answer = client.post(PLACE, files={"file": ("nightly.csv", text)})  # type: ignore[attr-defined]
    return str(answer.text)


def test_a_refused_list_is_shown_with_its_cure_and_waits_until_it_is_done(site: Site) -> None:
    site.launched("fall", launch=False)
    staff = site.signed_in(Role.COORDINATOR)

    shown = send(staff, BAD)

    assert "1 row needs a person. Nothing was changed." in shown
    assert "no address" in shown
    assert "B1" not in {one.external_id for one in site.product.applicants.list("fall")}
    page = staff.get(PLACE).text
    assert "1 thing needs a person" in page
    assert "line 3" in page
    assert "1 row or file of nightly.csv needs a person" in staff.get("/today").text
    staff.post(f"{PLACE}/1/done")
    assert "needs a person" not in staff.get(PLACE).text


def test_a_list_is_taken_and_the_same_one_does_nothing(site: Site) -> None:
    site.launched("fall", launch=False)
    staff = site.signed_in(Role.COORDINATOR)

    assert "✓ taken" in send(staff, GOOD)
    assert "Nothing was changed." in send(staff, GOOD)
    assert staff.post(PLACE).status_code == 422


@pytest.mark.parametrize(
    ("name", "index"), [("index.csv", b"applicant,file\nA001,one.txt\n"), ("", b"")]
)
def test_a_file_goes_with_its_index_or_with_that_field_left_empty(
    site: Site, name: str, index: bytes
) -> None:
    site.launched("fall", launch=False)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.txt" if index else "A001_one.txt", "Read me.")
    parts = [
        b'--b\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
        % (field, shown, body)
        for field, shown, body in (
            (b"file", b"letters.zip", packed.getvalue()),
            (b"index", name.encode(), index),
        )
    ]

    sent = site.signed_in(Role.COORDINATOR).post(
        PLACE,
        content=b"".join(parts) + b"--b--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )

    assert "✓ taken" in sent.text
    assert len(site.product.applicants.files("fall", 0)) == 1


def test_the_page_names_the_folder_and_what_waits_in_it(site: Site, tmp_path: Path) -> None:
    site.launched("fall", launch=False)
    staff = site.signed_in(Role.COORDINATOR)
    assert "SWAPFLOW_DROP_FOLDER" in staff.get(PLACE).text
    assert staff.post(f"{PLACE}/folder").status_code == 422

    settings = site.settings.model_copy(update={"drop_folder": tmp_path})
    site.app.state.app = replace(site.app.state.app, settings=settings)
    assert "Make the folder" in staff.get(PLACE).text
    assert [staff.post(f"{PLACE}/folder").status_code for _ in range(2)] == [303, 303]
    folder = make_drop_folder(tmp_path, "fall")
    (folder.incoming / "nightly.csv").write_text(GOOD)
    shown = staff.get(PLACE).text
    assert str(folder.incoming) in shown
    assert "not complete yet" in shown


def test_words_of_results_are_saved_and_a_bad_one_comes_back(site: Site) -> None:
    site.launched("fall", launch=False)
    staff = site.signed_in(Role.ADMINISTRATOR)

    saved = staff.post(f"{PLACE}/words", data={"decision": "Decision 1", "selected": "Admit"})
    assert saved.status_code == 303, saved.text

    assert 'value="Decision 1"' in staff.get(PLACE).text
    action = f"{PLACE}/words"
    stale = staff.post(action, data={"decision": "Another", "revision": "0" * 16})
    assert stale.status_code == 409
    assert 'value="Decision 1"' in staff.get(PLACE).text
    alike = {"selected": "A", "waitlisted": "A"}
    revision = revision_in(staff.get(PLACE).text, action)
    refused = staff.post(action, data={**alike, "revision": revision})
    assert refused.status_code == 422
    assert "the same name" in refused.text
    assert staff.post(f"{PLACE}/results").status_code == 422
    assert staff.get(f"{PLACE}/results/decisions.csv").status_code == 422
    assert staff.get(f"{PLACE}/results/evil.csv").status_code == 404
