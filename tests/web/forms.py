"""What a form on a page holds."""

import re
from collections.abc import Mapping

import httpx2
from starlette.testclient import TestClient


def fields_of(page: str) -> dict[str, str]:
    """Return what a browser would send back of the page's first big form, unchanged."""
    found: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name = re.search(r'name="([^"]*)"', tag)
        value = re.search(r'value="([^"]*)"', tag)
        if name and 'type="checkbox"' not in tag and 'type="file"' not in tag:
            found.setdefault(name[1], value[1] if value else "")
    for name, body in re.findall(
        r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL
    ):
        chosen = re.search(r'<option value="([^"]*)" selected', body)
        first = re.search(r'<option value="([^"]*)"', body)
        found[name] = (chosen or first)[1]  # type: ignore[index]  # every select has an option
    areas = r'<textarea[^>]*name="([^"]*)"[^>]*>(.*?)</textarea>'
    found.update(re.findall(areas, page, re.DOTALL))
    return found


def revision_in(page: str, action: str) -> str:
    """Return the hidden revision of the form with this address."""
    form = re.search(rf'<form\b[^>]*action="{re.escape(action)}".*?</form>', page, re.DOTALL)
    assert form is not None, f"no form {action}"
    found = re.search(r'name="revision" value="([^"]*)"', form[0])
    assert found is not None, f"{action} carries no revision"
    return found[1]


def send_form(
    client: TestClient, page: str, action: str, data: Mapping[str, str]
) -> httpx2.Response:
    """Open a page, fill in one of its forms and send it with the revision that it carries."""
    revision = revision_in(client.get(page).text, action)
    return client.post(action, data={**data, "revision": revision})
