"""The texts of letters as a program last sent them: next year's program begins with them."""

from collections.abc import Mapping

from swapflow.domain.cohort.announcement import Group, Wording


LETTERS = "letters"
"""Under this name a program's texts are kept beside how its lists were read."""

_SUBJECT, _TEXT = "subject", "text"


def to_settings(wording: Mapping[Group, Wording], before: Mapping[str, str]) -> dict[str, str]:
    """Format texts as pairs that can be stored; groups without a letter keep what they had."""
    written = {
        f"{group.value}:{part}": words
        for group, one in wording.items()
        for part, words in ((_SUBJECT, one.subject), (_TEXT, one.text))
    }
    return {**before, **written}


def with_kept(usual: Mapping[Group, Wording], settings: Mapping[str, str]) -> dict[Group, Wording]:
    """Return the usual texts, and in their place those that are kept."""
    return {
        group: Wording(
            subject=settings.get(f"{group.value}:{_SUBJECT}", words.subject),
            text=settings.get(f"{group.value}:{_TEXT}", words.text),
        )
        for group, words in usual.items()
    }
