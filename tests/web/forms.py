"""What a form on a page holds."""

import re


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
