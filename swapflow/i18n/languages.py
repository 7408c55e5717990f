"""Which language is spoken, and the messages in it.

The language stands in a context variable: a request sets it once, and whatever answers the
request, in whichever thread, speaks it. Outside of requests the deployment's language is spoken.
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
from swapflow.i18n.pseudo_locales import PSEUDO, disguise


CATALOGUES = Path(__file__).parent.parent / "locale"
"""A folder for each language, and `messages.pot`, the list of all messages.

The `.po` files themselves are read, once per process and language: what a translator has written
is what is spoken, and no compiled file can be older than it. English needs none.
"""

SOURCE = "en"
"""The language in which the messages are written."""

ENOUGH = 0.9
"""Share of messages from which on a language is chosen by a browser's wish alone.

One that is only begun is spoken to whoever asks for it: a page half in English serves nobody.
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A language as pages and mails speak it.

    Attributes:
        tag: Its name as HTML and HTTP spell it (BCP 47), such as "de" or "pt-BR".
        locale: How it spells dates and numbers.
        messages: What it says for each English message.
    """

    tag: str
    locale: Locale
    messages: NullTranslations

    @property
    def direction(self) -> str:
        """Which way it is written, as HTML spells it: "ltr" or "rtl"."""
        return PSEUDO.get(self.tag, self.locale.text_direction)

    @property
    def name(self) -> str:
        """What it calls itself: "Deutsch"."""
        shown = self.locale.get_display_name(self.locale) or self.tag
        return shown[:1].upper() + shown[1:]


_spoken: ContextVar[Language | None] = ContextVar("language", default=None)
_deployment = [SOURCE]


def set_deployment_language(tag: str) -> None:
    """Say what this process speaks where nobody's wish is known, as in reminders.

    Raises:
        InvalidInputError: If there is no such language here.
    """
    language_named(tag)
    _deployment[0] = tag


def current_language() -> Language:
    """Give the language that is spoken here and now."""
    return _spoken.get() or language_named(_deployment[0])


@contextmanager
def use_language(tag: str = "") -> Iterator[Language]:
    """Speak a language for a while; by default the deployment's.

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
    """Speak the language in which a program writes to its reviewers and applicants.

    Args:
        tag: That of the program's rules; "" for the deployment's, which also stands in for a
            language that has since been taken away: a mail is better read in another language
            than not sent.
    """
    return use_language(tag if tag in known_languages() else "")


def gettext(message: str) -> str:
    """Say a message; what has no translation is said in English."""
    return current_language().messages.gettext(message) if message else ""


def ngettext(one: str, many: str, count: float) -> str:
    """Say a message in the form that goes with a count."""
    return current_language().messages.ngettext(one, many, int(count))


def gettext_noop(message: str) -> str:
    """Mark a message that is said elsewhere; gives it as it is.

    A constant is said by `gettext`, a sentence with parts filled in (`later(f"…")`) by
    `swapflow.i18n.told.told`, which knows it by its shape.
    """
    return message


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Mark a message that is said elsewhere, by `ngettext`; gives both forms as they are."""
    return one, many


@cache
def known_languages() -> tuple[str, ...]:
    """Give the tags of all languages that somebody may choose, English first."""
    return SOURCE, *sorted(_tag(file.parent.parent.name) for file in _files())


def languages_to_choose() -> list[tuple[str, str]]:
    """Give tag and own name of every language that somebody may choose."""
    return [(tag, language_named(tag).name) for tag in known_languages()]


@cache
def language_named(tag: str) -> Language:
    """Give a language by its tag, in any case; "en-XA" and "ar-XB" are those of tests.

    Raises:
        InvalidInputError: If there is no such language here.
    """
    known = {one.casefold(): one for one in (*known_languages(), *PSEUDO)}
    found = known.get(tag.replace("_", "-").casefold())
    if found is None:
        raise InvalidInputError(f"there is no language {tag!r} here; try one of {_listed()}")
    if found == SOURCE:
        return Language(SOURCE, Locale(SOURCE), NullTranslations())
    if found in PSEUDO:
        catalogue = disguise(_template(), PSEUDO[found])
        return Language(found, Locale(SOURCE), _messages(catalogue))
    return Language(found, Locale.parse(found, sep="-"), _messages(_catalogue(found)))


def chosen_language(wishes: Sequence[str], *, otherwise: str) -> str:
    """Give the first language among a browser's wishes that is spoken well enough.

    A wish for a country's variant is served by the language without it, not the other way round.

    Args:
        wishes: Tags, the dearest first.
        otherwise: The deployment's language, spoken when none of them fits; spoken well enough
            for whoever wishes it, whatever is missing in it.
    """
    if otherwise in PSEUDO:  # whoever sets one of these wants to see it
        return otherwise
    for wish in wishes:
        tag = wish.replace("_", "-").casefold()
        for known in known_languages():
            fits = tag == known.casefold() or tag.partition("-")[0] == known.casefold()
            if fits and (known == otherwise or _share(known) >= ENOUGH):
                return known
    return otherwise


def wished(header: str) -> tuple[str, ...]:
    """Read an Accept-Language header: tags, the dearest first (RFC 9110, 12.5.4)."""
    found = []
    for place, part in enumerate(header[:1000].split(",")):
        tag, _, weight = part.strip().partition(";")
        try:
            dear = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        if tag and tag != "*" and dear > 0:
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
        InvalidInputError: If it is none; it says in which line.
    """
    file = next(file for file in _files() if _tag(file.parent.parent.name) == tag)
    try:
        with file.open("rb") as opened:
            return read_po(opened, locale=tag.replace("-", "_"), abort_invalid=True)
    except (ValueError, UnknownLocaleError) as error:
        raise InvalidInputError(f"{file}: {error}; correct the file") from error


@cache
def _template() -> Catalog:
    with (CATALOGUES / "messages.pot").open("rb") as opened:
        return read_po(opened)


@cache
def messages_from_code() -> frozenset[str]:
    """Give the messages that stand in Python code, those with a plural left out."""
    return frozenset(
        message.id
        for message in _template()
        if isinstance(message.id, str)
        and message.id
        and any(file.endswith(".py") for file, _ in message.locations)
    )


@cache
def _share(tag: str) -> float:
    """Give the share of messages that a language has."""
    if tag == SOURCE:
        return 1.0
    catalogue = _catalogue(tag)
    ids = [message.id for message in _template() if message.id]
    found = [catalogue.get(one if isinstance(one, str) else one[0]) for one in ids]
    said = [one for one in found if one is not None and _is_said(one)]
    return len(said) / max(1, len(ids))


def _is_said(message: Message) -> bool:
    """Whether a message has all its forms, and a translator has looked at them."""
    string = message.string or ""
    forms = (string,) if isinstance(string, str) else string
    return all(forms) and not message.fuzzy


def _messages(catalogue: Catalog) -> NullTranslations:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
