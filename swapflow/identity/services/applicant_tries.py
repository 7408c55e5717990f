"""Limits on guessing the application number behind an applicant's link."""

from dataclasses import dataclass

from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.tries import answer_tries


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantTries:
    """Tries to answer by an applicant's link."""

    context: IdentityContext

    def count(self, token: str, *, address: str) -> None:
        """Count an answer before its number is compared.

        Raises:
            RateLimitedError: After 5 wrong numbers an hour with one link, or 30 from a network.
        """
        self.context.count_try(*answer_tries(token, address))

    def give_back(self, token: str, *, address: str) -> None:
        """Take the count of an answer back whose number was right."""
        self.context.give_back_try(*answer_tries(token, address))
