"""Without a mail server, commands say that no mail leaves, and print a sign-in link."""

from pathlib import Path

from swapflow.settings import Settings
from tests.cli.office import Office
from tests.web.site import ADDRESS, Site


NO_SERVER = "no mail server"


def test_user_add_prints_a_link_that_signs_in_once(office: Office, tmp_path: Path) -> None:
    office.do("db", "upgrade")
    added = office.ask("user", "add", "ana@example.org", "--role", "administrator")
    again = office.ask("user", "link", "ana@example.org")
    assert added["link"] != again["link"]
    assert "/sign-in/link/" in office.do("user", "add", "ben@example.org").out

    settings = Settings(data_dir=tmp_path, public_url=ADDRESS)
    site = Site(office.database, settings=settings)
    for link in (added["link"], again["link"]):
        path = "/sign-in/link/" + link.rsplit("/", 1)[1]
        browser = site.anonymous()
        assert browser.post(path).status_code == 303
        assert browser.get("/setup/users").status_code == 200
        assert site.anonymous().post(path).status_code != 303
    site.ledger.dispose()


def test_launching_by_the_command_says_that_no_mail_leaves(office: Office) -> None:
    office.launch()

    (said,) = [said for words, said in office.said if words[:2] == ("cycle", "launch")]
    assert NO_SERVER in said.out
