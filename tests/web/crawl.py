"""Walks a site by following every link, and reads the forms of every page."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from httpx2 import Response
from starlette.testclient import TestClient


MOST_PAGES = 400
ALIKE = 3
"""Pages of one shape (the same path but for numbers and ids) that are opened at most."""

_QUIET = frozenset({"script", "style", "template"})
_VOID = frozenset({"input", "meta", "link", "br", "hr", "img"})


@dataclass(slots=True)
class Form:
    """A form as a browser would send it."""

    action: str
    method: str
    multipart: bool
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """One page: its links, its forms, and the words that a person reads on it.

    Attributes:
        words: The visible text, without what stands in an advanced part.
    """

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.texts: list[str] = []
        self.styled: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._form: Form | None = None
        self._select = ""
        self._textarea = ""
        self.feed(html)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.styled += [name for name in given if name == "style" or name.startswith("on")]
        if tag not in _VOID:
            quiet = tag in _QUIET or "advanced" in given.get("class", "").split()
            self._open.append((tag, quiet))
        if tag == "a" and given.get("href"):
            self.links.append(urljoin(self.address, given["href"]))
        if tag == "form":
            self._form = Form(
                action=urljoin(self.address, given.get("action") or self.address),
                method=given.get("method", "get").lower(),
                multipart=given.get("enctype") == "multipart/form-data",
            )
            self.forms.append(self._form)
        for name in ("placeholder", "aria-label", "title", "alt"):
            if given.get(name) and not self._is_quiet:
                self.texts.append(given[name])
        if self._form is not None:
            self._read_field(tag, given)

    def _read_field(self, tag: str, given: dict[str, str]) -> None:
        assert self._form is not None
        name = given.get("name", "")
        if tag == "button" and name:
            self._form.buttons.append((name, given.get("value", "")))
        elif tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select:
            if "selected" in given or self._select not in self._form.fields:
                self._form.fields[self._select] = given.get("value", "")
        elif tag == "textarea" and name:
            self._textarea = name
            self._form.fields[name] = ""
            self._form.typed.append(name)
        elif tag == "input" and name:
            self._read_input(self._form, name, given)

    @staticmethod
    def _read_input(form: Form, name: str, given: dict[str, str]) -> None:
        kind = given.get("type", "text")
        if kind == "file":
            form.files.append(name)
        elif kind in {"radio", "checkbox"}:
            if "checked" in given:
                form.fields[name] = given.get("value", "on")
        else:
            form.fields[name] = given.get("value", "")
            if kind != "hidden":
                form.typed.append(name)

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            opened, _ = self._open.pop()
            if opened == tag:
                break
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._textarea = ""

    def handle_data(self, data: str) -> None:
        if self._textarea and self._form is not None:
            self._form.fields[self._textarea] += data
        if not self._is_quiet and data.strip():
            self.texts.append(data)

    @property
    def _is_quiet(self) -> bool:
        return any(quiet for _, quiet in self._open)


def shape(address: str) -> str:
    """Return a path with its numbers, ids and codes left out: pages of one kind look alike."""
    app = urlsplit(address).path.split("/")
    return "/".join("*" if any(c.isdigit() for c in part) else part for part in app)


def walk(client: TestClient, *starts: str) -> Iterator[tuple[Response, Page | None]]:
    """Open every page that can be reached by links, each once; files come without a page."""
    host = urlsplit(str(client.base_url)).netloc
    waiting = [urljoin(str(client.base_url), start) for start in starts]
    seen: set[str] = set()
    alike: dict[str, int] = {}
    while waiting and len(seen) < MOST_PAGES:
        address = waiting.pop(0).partition("#")[0]
        if address in seen or urlsplit(address).netloc != host:
            continue
        kind = shape(address) + "?" + "&".join(sorted(_names(address)))
        if alike.get(kind, 0) >= ALIKE:
            continue
        seen.add(address)
        alike[kind] = alike.get(kind, 0) + 1
        response = client.get(address)
        if response.is_redirect:
            waiting.append(urljoin(address, response.headers["location"]))
        page = None
        if response.headers.get("content-type", "").startswith("text/html"):
            page = Page(address, response.text)
            waiting += page.links
        yield response, page


def _names(address: str) -> list[str]:
    return [pair.partition("=")[0] for pair in urlsplit(address).query.split("&") if pair]
