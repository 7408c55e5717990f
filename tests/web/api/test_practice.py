"""Practice files by the API, for staff and for a program's reviewers."""

from dataclasses import replace

from swapflow.identity.permissions import Role
from tests.web.site import SITE_RULES, Site


PLACE = "/api/v1/cycles/fall"


def test_staff_add_a_file_and_a_reviewer_marks_it_before_seeing_the_others(site: Site) -> None:
    site.launched("fall", rules=replace(SITE_RULES, rubrics=()), launch=False)
    staff = site.signed_in(Role.COORDINATOR)
    reviewer = site.signed_in(email="r1@example.org")

    added = staff.post(f"{PLACE}/practice", json={"title": "Strong", "text": "Papers"}).json()
    assert [one["title"] for one in added["files"]] == ["Strong"]
    assert len(added["missing"]) == 4
    site.product.practice.mark("fall", 0, 1, marks={}, value=0.4, remark="thin")
    assert reviewer.get(f"{PLACE}/own-practice").json()["files"][0]["marks"] == []

    mark = {"score": 70, "remark": "strong"}
    seen = reviewer.put(f"{PLACE}/own-practice/1/mark", json=mark).json()["files"][0]
    assert (seen["marks"], sorted(seen["remarks"])) == ([40.0, 70.0], ["strong", "thin"])
    assert reviewer.put(f"{PLACE}/own-practice/1/mark", json={"score": 9}).status_code == 409

    reviewer.post(f"{PLACE}/own-practice/1/notes", json={"text": "page 2"})
    staff.post(f"{PLACE}/practice/1/notes", json={"text": "yes"})
    notes = staff.get(f"{PLACE}/practice").json()["files"][0]["notes"]
    assert [one["text"] for one in notes] == ["page 2", "yes"]
    assert notes[0]["by"] == ""
