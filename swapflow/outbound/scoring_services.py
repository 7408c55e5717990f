"""Questions to scoring services: one POST each, and its answer."""

from collections.abc import Callable

from swapflow.errors import UnavailableError
from swapflow.outbound.guarded_client import GuardedClient, host_of


SECONDS = 30.0
"""Seconds that a service may take for an answer, the connection included."""

LARGEST = 1 << 20
"""Bytes of an answer: a hundred scores are a few thousand."""


def scoring_services(client: GuardedClient) -> Callable[[str, bytes], bytes]:
    """Build the function that asks a service: its address and the questions give the answer.

    Args:
        client: Knows the addresses that may be called.
    """

    def ask(url: str, questions: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        reply = client.post(url, questions, headers=headers, seconds=SECONDS, largest=LARGEST)
        if not 200 <= reply.status < 300:  # noqa: PLR2004 - what HTTP calls success
            raise UnavailableError("call_refused", host=host_of(url), status=reply.status)
        return reply.body

    return ask
