"""The current language, and the messages in it.

The language is in a context variable: a request sets it once, for every thread that answers the
request. Outside of requests the deployment's language is current.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.core import UnknownLocaleError
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from swapflow.errors import InvalidInputError
from swapflow.i18n.marked import gettext_noop as gettext_noop  # noqa: PLC0414 - its other home
from swapflow.i18n.pseudo_locales import PSEUDO, disguise


CATALOGUES = Path(__file__).parent.parent / "locale"
"""A folder for each language, and `messages.pot`, the list of all messages.

The `.po` files themselves are read, once per process and language: a translator's change is
effective at once, and no compiled file can be older than it. English needs none.
"""

SOURCE = "en"
"""The language in which the messages are written."""

ENOUGH = 0.9
"""Share of translated messages from which a browser's preference alone chooses a language.

A language below it is used only for people who choose it, since its pages are half in English.
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A language of pages and mails.

    Attributes:
        tag: Its name in HTML and HTTP (BCP 47), such as "de" or "pt-BR".
        locale: Its formats of dates and numbers.
        messages: Its translation of each English message.
    """

    tag: str
    locale: Locale
    messages: NullTranslations

    @property
    def direction(self) -> str:
        """Its direction of writing, as in HTML: "ltr" or "rtl"."""
        return PSEUDO.get(self.tag, self.locale.text_direction)

    @property
    def name(self) -> str:
        """Its own name: "Deutsch"."""
        shown = self.locale.get_display_name(self.locale) or self.tag
        return shown[:1].upper() + shown[1:]


_spoken: ContextVar[Language | None] = ContextVar("language", default=None)
_deployment = [SOURCE]


def set_deployment_language(tag: str) -> None:
    """Set this process's language for texts without a known preference, such as reminders.

    Raises:
        InvalidInputError: If there is no such language here.
    """
    language_named(tag)
    _deployment[0] = tag


def current_language() -> Language:
    """Return the current language."""
    return _spoken.get() or language_named(_deployment[0])


@contextmanager
def use_language(tag: str = "") -> Iterator[Language]:
    """Use a language inside the block; by default the deployment's.

    Raises:
        InvalidInputError: If there is no such language here.
    """
    language = language_named(tag or _deployment[0])
    before = _spoken.set(language)
    try:
        yield language
    finally:
        _spoken.reset(before)


def writing_in(tag: str) -> AbstractContextManager[Language]:
    """Use the language in which a program writes to its reviewers and applicants.

    Args:
        tag: That of the program's rules; "" for the deployment's, which also replaces a language
            that was removed since: a mail in another language is better than none.
    """
    return use_language(tag if tag in known_languages() else "")


def gettext(message: str) -> str:
    """Return a message in the current language, or in English without a translation."""
    return current_language().messages.gettext(message) if message else ""


def ngettext(one: str, many: str, count: float) -> str:
    """Return a message in the form that fits a count."""
    return current_language().messages.ngettext(one, many, int(count))


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Mark a message that `ngettext` translates elsewhere; return both forms unchanged."""
    return one, many


@cache
def known_languages() -> tuple[str, ...]:
    """Return the tags of all languages that a person may choose, English first."""
    return SOURCE, *sorted(_tag(file.parent.parent.name) for file in _files())


def languages_to_choose() -> list[tuple[str, str]]:
    """Return tag and own name of every language that a person may choose."""
    return [(tag, language_named(tag).name) for tag in known_languages()]


@cache
def language_named(tag: str) -> Language:
    """Return a language by its tag, in any case; "en-XA" and "ar-XB" are for tests.

    Raises:
        InvalidInputError: If there is no such language here.
    """
    known = {one.casefold(): one for one in (*known_languages(), *PSEUDO)}
    found = known.get(tag.replace("_", "-").casefold())
    if found is None:
        raise InvalidInputError("language_unknown", language=tag, languages=_listed())
    if found == SOURCE:
        return Language(SOURCE, Locale(SOURCE), NullTranslations())
    if found in PSEUDO:
        catalogue = disguise(_template(), PSEUDO[found])
        return Language(found, Locale(SOURCE), _messages(catalogue))
    return Language(found, Locale.parse(found, sep="-"), _messages(_catalogue(found)))


def chosen_language(wishes: Sequence[str], *, otherwise: str) -> str:
    """Return the first language of a browser's preferences that is translated well enough.

    The language without a variant serves a preference for a country's variant, not the reverse.

    Args:
        wishes: Tags, the most preferred first.
        otherwise: The deployment's language, used when none of them fits; it counts as translated
            well enough in any case.
    """
    if otherwise in PSEUDO:  # a pseudo-locale is set on purpose
        return otherwise
    for wish in wishes:
        tag = wish.replace("_", "-").casefold()
        for known in known_languages():
            # `de-AT` is served by `de`; the reverse would give a country's variant to everybody.
            fits = tag == known.casefold() or tag.partition("-")[0] == known.casefold()
            if fits and (known == otherwise or _share(known) >= ENOUGH):
                return known
    return otherwise


def preferred_languages(header: str) -> tuple[str, ...]:
    """Read an Accept-Language header: tags, the most preferred first (RFC 9110, 12.5.4)."""
    found = []
    for place, part in enumerate(header[:1000].split(",")):
        tag, _, weight = part.strip().partition(";")
        try:
            dear = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        if tag and tag != "*" and dear > 0:
            # The place breaks ties, because equal weights keep the order of the header.
            found.append((-dear, place, tag.strip()))
    return tuple(tag for _, _, tag in sorted(found))


def _listed() -> str:
    return ", ".join(known_languages())


def _files() -> tuple[Path, ...]:
    return tuple(CATALOGUES.glob("*/LC_MESSAGES/messages.po"))


def _tag(folder: str) -> str:
    return folder.replace("_", "-")


@cache
def _catalogue(tag: str) -> Catalog:
    """Read a language's file.

    Raises:
        InvalidInputError: If it is invalid; the message names the line.
    """
    file = next(file for file in _files() if _tag(file.parent.parent.name) == tag)
    try:
        with file.open("rb") as opened:
            return read_po(opened, locale=tag.replace("-", "_"), abort_invalid=True)
    except (ValueError, UnknownLocaleError) as error:
        raise InvalidInputError("catalogue_unreadable", file=file, problem=error) from error


@cache
def _template() -> Catalog:
    with (CATALOGUES / "messages.pot").open("rb") as opened:
        return read_po(opened)


@cache
def messages_from_code() -> frozenset[str]:
    """Return the messages that are in Python code, except for those with a plural."""
    return frozenset(
        message.id
        for message in _template()
        if isinstance(message.id, str)
        and message.id
        and any(file.endswith(".py") for file, _ in message.locations)
    )


@cache
def _share(tag: str) -> float:
    """Return the share of messages that a language has translated."""
    if tag == SOURCE:
        return 1.0
    catalogue = _catalogue(tag)
    ids = [message.id for message in _template() if message.id]
    found = [catalogue.get(one if isinstance(one, str) else one[0]) for one in ids]
    said = [one for one in found if one is not None and _is_said(one)]
    return len(said) / max(1, len(ids))


def _is_said(message: Message) -> bool:
    """Whether a message has all its forms, and a translator has checked them."""
    string = message.string or ""
    forms = (string,) if isinstance(string, str) else string
    return all(forms) and not message.fuzzy


def _messages(catalogue: Catalog) -> NullTranslations:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
