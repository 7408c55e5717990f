"""Single letters act as keys unless their reader switches them off in that browser."""

from swapflow.identity.permissions import Role
from tests.web.site import Site


OFF = 'data-keys="off"'


def test_single_letters_are_switched_off_in_one_browser_and_on_again(site: Site) -> None:
    site.launched()
    client = site.signed_in(Role.ADMINISTRATOR)
    other = site.signed_in(Role.ADMINISTRATOR)
    pages = ("/me", "/applicants/fall", "/decide/fall", "/reviewers/fall")
    assert not any(OFF in client.get(path).text for path in pages)

    off = client.post("/me/shortcuts", data={"keys": "off"})

    assert off.status_code == 303
    assert "Switched the keys of single letters off" in client.get("/me").text
    assert all(OFF in client.get(path).text for path in pages)
    assert OFF not in other.get("/me").text

    client.post("/me/shortcuts", data={"keys": "on"})
    assert not any(OFF in client.get(path).text for path in pages)
