"""Marks for messages that are translated elsewhere; importing it loads no catalogues."""


def gettext_noop(message: str) -> str:
    """Mark a message that is translated elsewhere; return it unchanged.

    `gettext` translates a constant; a sentence with parts filled in stands in
    `swapflow/messages/`.
    """
    return message
