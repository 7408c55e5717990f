"""The host that a request names appears in no answer, and leads nobody anywhere."""

from tests.web.api.programs import program
from tests.web.crawl import walk
from tests.web.everyone import busy, people
from tests.web.site import Site


HOSTS = ("evil.example", "evil.example:443", "evil.example/x?", "a@evil.example", "")


def test_no_page_and_no_header_repeats_the_host_that_was_asked(site: Site) -> None:
    for seen in people(busy(site)):
        seen.client.headers["Host"] = "evil.example"
        for response, page in walk(seen.client, *seen.starts):
            where = (seen.name, str(response.request.url.path))
            assert "evil.example" not in str(response.headers), where
            if page is not None:
                assert "evil.example" not in response.text, where


def test_a_slash_too_many_leads_to_the_page_at_the_host_where_one_is(site: Site) -> None:
    browser = site.anonymous()
    for host in HOSTS:
        for path in ("/sign-in/", "/api/v1/cycles/", "/static"):
            led = browser.get(path, headers={"Host": host})
            assert led.status_code == 307, (host, path)
            assert led.headers["location"] == (path + "/" if path == "/static" else path[:-1])


def test_the_next_page_of_a_list_is_at_the_address_of_this_deployment(site: Site) -> None:
    site.launched(applicants=6)

    page = program(site).get(
        "/api/v1/cycles/fall/applicants?limit=2", headers={"Host": "evil.example"}
    )

    assert page.links["next"]["url"].startswith(f"{site.settings.address}/api/v1/cycles/fall/")


def test_two_slashes_never_lead_to_another_host(site: Site) -> None:
    browser = site.anonymous()
    for path in ("//evil.example/sign-in/", "///evil.example/", "/sign-in//"):
        led = browser.get(path)
        assert not led.headers.get("location", "/").startswith("//"), path
