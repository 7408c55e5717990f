"""Every form, found by walking, is filled with what people and machines wrongly send."""

from collections.abc import Iterator

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from tests.web.crawl import Form, shape, walk
from tests.web.everyone import busy, dump, people
from tests.web.site import Site


REFUSED = {
    "a control character": "a\x07b\x00c",
    "a megabyte of text": "x" * 1_000_000,
    "more than fits": "y" * 300_000,
}
ODD = {
    "nothing": "",
    "words for a number": "twelve",
    "a number out of any range": "-99999999999999999999",
    "not a number": "nan",
    "a right-to-left name": "مريم \u202eabc",
    "an emoji": "👩🏽‍🔬 Zoë",
    "a formula": '=HYPERLINK("http://x","y")',
    "markup": "<script>alert(1)</script>",
    "a path": "../../etc/passwd",
}


def forms(client: TestClient, starts: tuple[str, ...]) -> Iterator[Form]:
    """Iterate over the forms, each kind once."""
    known = set()
    for _, page in walk(client, *starts):
        for form in page.forms if page else ():
            kind = (shape(form.action), tuple(sorted(form.fields)))
            if form.method == "post" and kind not in known:
                known.add(kind)
                yield form


def send(client: TestClient, form: Form, values: dict[str, str]) -> Response:
    buttons = dict(form.buttons[:1])
    if form.multipart or form.files:
        files = dict.fromkeys(form.files, ("list.csv", b"id,name\nA1,Ada\n", "text/csv"))
        return client.post(form.action, data={**values, **buttons}, files=files)
    return client.post(form.action, data={**values, **buttons})


@pytest.mark.parametrize("who", ["administrator", "chair", "reviewer", "nobody"])
def test_what_no_field_may_hold_is_refused_with_a_message_and_changes_nothing(
    site: Site, who: str
) -> None:
    seen = next(one for one in people(busy(site)) if one.name == who)
    tried = 0
    found = list(forms(seen.client, seen.starts))
    before = dump(site)

    for form in found:
        for name in form.typed:
            for what, value in REFUSED.items():
                response = send(seen.client, form, {**form.fields, name: value})

                tried += 1
                where = (form.action, name, what, response.status_code)
                assert 400 <= response.status_code < 500, where
                assert response.text.strip(), where
                assert "Traceback" not in response.text, where
        assert changed(before, dump(site)) == {}, form.action

    assert tried >= 3


@pytest.mark.slow
@pytest.mark.parametrize("who", ["administrator", "chair", "reviewer", "nobody"])
def test_odd_values_never_end_in_a_fault_and_a_refusal_changes_nothing(
    site: Site, who: str
) -> None:
    seen = next(one for one in people(busy(site)) if one.name == who)

    for form in list(forms(seen.client, seen.starts)):
        for name in form.typed:
            for what, value in ODD.items():
                before = dump(site)
                response = send(seen.client, form, {**form.fields, name: value})
                where = (form.action, name, what, response.status_code)
                assert response.status_code < 500, where
                assert "Traceback" not in response.text, where
                assert "<script>alert(1)</script>" not in response.text, where
                if response.status_code >= 400:
                    assert changed(before, dump(site)) == {}, where


def changed(
    before: dict[str, list[dict[str, object]]], after: dict[str, list[dict[str, object]]]
) -> dict[str, list[dict[str, object]]]:
    """Return the rows that are new, but for the log of what was tried."""
    return {
        name: [row for row in rows if row not in before[name]]
        for name, rows in after.items()
        if rows != before[name]
    }
