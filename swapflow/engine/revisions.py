"""A form overwrites only what it was made from: the other half of what was shown."""

from collections.abc import Mapping

from swapflow.errors import StaleRevisionError


def check_revision(made_from: str, stored: str, content: Mapping[str, object]) -> None:
    """Raise if a form was made from something else than is stored now.

    To be called under the lock of the cycle, before anything is overwritten.

    Args:
        made_from: The revision that the form or the request carries; "" if it carries none.
        stored: The revision of what is stored now.
        content: What is stored now, by the name of the field, to be shown beside what was sent.

    Raises:
        StaleRevisionError: If they differ.
    """
    if made_from and made_from != stored:
        raise StaleRevisionError(content)
