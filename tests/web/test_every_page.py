"""What holds for every page that anybody can reach by following links."""

import re
from urllib.parse import urlsplit

import pytest

from tests.support.plain import JARGON, TOO_MUCH
from tests.web.crawl import walk
from tests.web.everyone import busy, dump, people
from tests.web.site import Site


@pytest.mark.parametrize("who", ["administrator", "chair", "reviewer", "nobody"])
def test_every_page_that_can_be_reached_opens_and_speaks_plain_words(site: Site, who: str) -> None:
    seen = next(one for one in people(busy(site)) if one.name == who)
    opened = 0

    for response, page in walk(seen.client, *seen.starts):
        where = (who, str(response.url))
        assert response.status_code in {200, 303, 307}, (*where, response.status_code)
        if page is None:
            continue
        opened += 1
        assert "Traceback" not in page.words, where
        for pattern in (JARGON, TOO_MUCH):
            found = pattern.search(page.words)
            assert found is None, (*where, found)
        found = re.search(r"[σδερτ]\b|\bNone\b|\bnan\b|Undefined", page.words)
        assert found is None, (*where, found)
        assert page.styled == [], where

    assert opened >= {"administrator": 20, "chair": 6, "reviewer": 3, "nobody": 1}[who]


def test_looking_changes_nothing(site: Site) -> None:
    everybody = people(busy(site))
    before = dump(site)

    for seen in everybody:
        for _ in walk(seen.client, *seen.starts):
            pass

    after = dump(site)
    assert {name: rows for name, rows in after.items() if rows != before[name]} == {}


def test_every_page_tells_browsers_what_it_may_do_and_is_kept_by_none(site: Site) -> None:
    for seen in people(busy(site)):
        for response, page in walk(seen.client, *seen.starts):
            policy = response.headers["content-security-policy"]
            assert "default-src 'self'" in policy or "default-src 'none'" in policy
            assert "unsafe-eval" not in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            if page is not None:
                path = urlsplit(str(response.url)).path
                assert response.headers["cache-control"] in {"no-store", "private, no-store"}, path
