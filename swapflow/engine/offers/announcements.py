"""Announcements to applicants: shown first, held for a while, never against the record.

Letters are written at the announcement, wait in the outbox until their time, and can be withdrawn
together until then, with the offers that they announce. A letter that is no longer true when its
turn comes is not sent: a late job never contradicts what people were told before.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from swapflow.domain.cohort.announcement import (
    Announcement,
    Group,
    LetterState,
    Wording,
    told,
)
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.seal import Seal, seal
from swapflow.engine.confirmation import Beside, check_shown, confirm, named
from swapflow.engine.offers.announcement_mail import letter_link, letter_mail
from swapflow.engine.offers.announcement_wording import check_wording, filled
from swapflow.engine.offers.kept_wording import LETTERS, to_settings
from swapflow.engine.offers.offer_plan import offer_round
from swapflow.engine.offers.open_places import restored
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError
from swapflow.i18n.formatting import moment
from swapflow.i18n.languages import writing_in
from swapflow.messages import Message


LONGEST_HOLD = timedelta(days=30)
"""Longest time that letters are held."""

USUAL_HOLD = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """One applicant with the letter for them.

    Attributes:
        address: Their mail address, "" when none is known: staff must tell them in another way.
        offer: Id of the offer that the letter announces.
    """

    application: int
    external_id: str
    name: str
    address: str
    group: Group
    offer: int | None
    subject: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementDraft:
    """A preview of the outbox: who gets which letter.

    Attributes:
        read: The position that it follows from.
        letters: Recipients with an address.
        unreachable: Recipients without one.
        unoffered: Chosen applications without an offer, which get no letter.
        seal: The digest of the letters, so that nothing else is sent than what was shown.
    """

    version: int
    read: Position
    letters: tuple[Recipient, ...]
    unreachable: tuple[Recipient, ...]
    unoffered: tuple[int, ...]
    seal: Seal

    @property
    def digest(self) -> str:
        """The digest of the letters as a text."""
        return self.seal.digest

    def samples(self) -> dict[Group, Recipient]:
        """Return the first letter of each group, in the order of the groups."""
        first = {letter.group: letter for letter in reversed(self.letters)}
        return {group: first[group] for group in Group if group in first}

    def count(self, group: Group) -> int:
        """Count the letters to a group."""
        return sum(letter.group is group for letter in self.letters)


def draft(
    cycle_id: str,
    wording: Mapping[Group, Wording],
    *,
    waitlist: int | None = None,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> AnnouncementDraft:
    """Compute who would be told what; changes nothing.

    Applicants with an open offer are told of it, the next of the waitlist that they are on it, and
    all others that they were not selected. Nobody is told the same thing twice.

    Args:
        cycle_id: The cycle; its list must be final.
        wording: The text for each group; groups that are left out get no letter.
        waitlist: How many of the waitlist, from its top, are told that they are on it; the others
            are told that they were not selected, and get no place passed on any more. None tells
            all of them that they are on it.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Raises:
        NotReadyError: If no list is final.
        InvalidInputError: If a wording is empty, too long, or names an unknown placeholder.
    """
    for group, words in wording.items():
        check_wording(group, words)
    cycle = ledger.cycle(cycle_id)  # read first, so that `announce` notices any later event
    stands = offer_round(cycle_id, ledger=ledger, snapshots=snapshots)
    # A reconsidered applicant may get a new letter.
    since = restored(ledger.reconsiderations(cycle_id))
    said = {
        number: (letter.group, letter.offer)
        for number, (announcement, letter) in told(ledger.announcements(cycle_id)).items()
        if announcement.version >= since.get(number, 0)
    }
    offers = {o.application: o for o in stands.offers if o.answer is OfferAnswer.WAITING}
    verdicts = {o.application: o.verdict for o in ledger.outcomes(cycle_id, stands.version)}
    groups = _groups(stands.waitlist, verdicts, offers, said, waitlist=waitlist)
    # An applicant with an earlier offer was told of it, whatever the answer.
    heard = {
        offer.application
        for offer in stands.offers
        if offer.answer is not OfferAnswer.TAKEN_BACK
        and offer.version >= since.get(offer.application, 0)
    }
    people = {a.number: a for a in ledger.applications(cycle_id)}
    rules = ledger.rules(cycle_id)
    found = []
    for number, group in groups.items():
        offer = offers.get(number) if group is Group.OFFERED else None
        news = (group, offer.id if offer else None)
        if group not in wording or said.get(number) == news:
            continue
        if group is not Group.OFFERED and number in heard:
            continue
        applicant = people[number]
        if not applicant.status.is_candidate:
            continue
        with writing_in(rules.language):  # not the language of the person who looks
            until = moment(offer.until, rules.zone) if offer and offer.until else ""
        subject, parts = filled(
            wording[group],
            name=applicant.name or applicant.external_id,
            program=cycle.name,
            until=until,
        )
        found.append(
            Recipient(
                application=number,
                external_id=applicant.external_id,
                name=applicant.name,
                address=applicant.email,
                group=group,
                offer=news[1],
                subject=subject,
                parts=parts,
            )
        )
    chosen = {n for n, verdict in verdicts.items() if verdict is Verdict.SELECTED}
    return _sealed(cycle, stands.version, found, tuple(sorted(chosen & set(stands.waitlist))))


def announce(  # noqa: PLR0913 - what is written, to whom, and where its links lead
    cycle_id: str,
    wording: Mapping[Group, Wording],
    *,
    by: str,
    waitlist: int | None = None,
    hold: timedelta = USUAL_HOLD,
    seen: str = "",
    address: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> AnnouncementDraft:
    """Write the letters, and hold them until their time; an offer comes with a link to answer.

    Args:
        cycle_id: The cycle.
        wording: As in `draft`.
        by: Who announces.
        waitlist: As in `draft`.
        hold: How long they can be withdrawn.
        seen: Digest of what was shown; "" for no such check.
        address: Where the pages are.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Returns:
        The letters as written.

    Raises:
        NotReadyError: If no list is final, or there is no recipient.
        InvalidInputError: If a wording or the time cannot be used.
        ConflictError: If the letters differ from those shown.
    """
    if not timedelta() <= hold <= LONGEST_HOLD:
        raise InvalidInputError("hold_out_of_range", days=LONGEST_HOLD.days)
    snapshots, language = snapshots or SnapshotCache(), ledger.rules(cycle_id).language

    def work() -> AnnouncementDraft:
        made = draft(cycle_id, wording, waitlist=waitlist, ledger=ledger, snapshots=snapshots)
        check_shown(made.seal, seen, code="letters_out_of_date")
        if not made.letters:
            raise NotReadyError("nobody_to_write_to")
        return made

    def write(tx: Transaction, made: AnnouncementDraft) -> AnnouncementDraft:
        number = tx.insert_announcement(made.version, leaves_at=tx.now + hold, by=by)
        links = [letter_link(cycle_id, number, a.application, a.offer) for a in made.letters]
        with writing_in(language):
            mails = [
                letter_mail(letter.subject, letter.parts, link, address).to(
                    letter.address, mail_id=link.message_id
                )
                for letter, link in zip(made.letters, links, strict=True)
            ]
        tx.keep_list_reading(LETTERS, to_settings(wording, tx.list_reading(LETTERS)), by=by)
        tx.queue_mail(mails, held=True)
        tx.add_personal_links([link for link in links if link.offer_id is not None])
        tx.insert_letters(
            number,
            [
                (letter.application, letter.group, letter.offer, mail.id)
                for letter, mail in zip(made.letters, mails, strict=True)
            ],
        )
        tx.record(
            EventType.ANNOUNCED,
            {
                "version": made.version,
                "items": [[a.application, list(Group).index(a.group)] for a in made.letters],
            },
        )
        return made

    return confirm(
        cycle_id,
        work,
        write,
        shown=seen,
        beside={Beside.PEOPLE, Beside.TOLD},
        ledger=ledger,
    )


def take_back(
    cycle_id: str, *, by: str, which: int | None = None, ledger: CycleReads
) -> Announcement:
    """Withdraw the held letters, and the offers that they announce.

    Args:
        cycle_id: The cycle.
        by: Who withdraws them.
        which: Id of the announcement that the person was shown as held; None if none was shown.
        ledger: The ledger.

    Raises:
        NotReadyError: If no letter is held.
        ConflictError: If some of them have left and cannot be withdrawn, or if other letters are
            held than were shown.
    """
    with ledger.write(cycle_id) as tx:
        waiting = [a for a in tx.announcements() if _waits(a)]
        if not waiting:
            raise NotReadyError("no_letter_held")
        last = waiting[-1]
        if which is not None and last.id != which:
            raise ConflictError("changed_since_shown", changed=named(["held"]))
        withdraw(tx, last, by=by)
        return last


def withdraw(tx: Transaction, announcement: Announcement, *, by: str) -> None:
    """Withdraw an announcement within a write; all of its letters, or none.

    Raises:
        ConflictError: If some of them have left.
    """
    held = sum(letter.state is LetterState.HELD for letter in announcement.letters)
    left = sum(letter.state.has_left for letter in announcement.letters)
    # A letter may leave between the reading and the update: then the numbers differ, and the error
    # rolls the whole withdrawal back.
    if left or tx.take_letters_back(announcement.id, by=by) != held:
        raise ConflictError(
            "letters_have_left", left=left or "some", letters=len(announcement.letters)
        )
    offers = {offer.id: offer for offer in tx.offers()}
    mine = [
        offers[letter.offer]
        for letter in announcement.letters
        if letter.offer is not None
        and letter.state is LetterState.HELD
        and offers[letter.offer].answer is OfferAnswer.WAITING
    ]
    for offer in mine:
        tx.answer_offer(offer.id, OfferAnswer.TAKEN_BACK)
    tx.record(
        EventType.ANNOUNCEMENT_TAKEN_BACK,
        {
            "version": announcement.version,
            "letters": held,
            "offers": [offer.application for offer in mine],
        },
    )


def contradicts_record(mail_id: str, *, ledger: DecisionReads) -> str:
    """Return why a letter must not leave any more, "" while it is still true.

    A mail that is no letter to an applicant is always true.
    """
    facts = ledger.letter_facts(mail_id)
    if facts is None:
        return ""
    if facts.cycle_status is not CycleStatus.FINALIZED:
        return Message("letter_list_open")
    if not facts.application_status.is_candidate:
        return Message("letter_application_is", status=facts.application_status)
    if facts.group is Group.OFFERED:
        return "" if facts.offer_stands else Message("letter_offer_closed")
    if facts.has_place:
        return Message("letter_offered_since")
    return Message("letter_list_differs") if facts.verdict is Verdict.SELECTED else ""


def _groups(
    ranked: Collection[int],
    verdicts: Mapping[int, Verdict],
    offers: Mapping[int, Offer],
    said: Mapping[int, tuple[Group, int | None]],
    *,
    waitlist: int | None,
) -> dict[int, Group]:
    """Return the group of each application: offers first, then by rank, then the others."""
    groups = dict.fromkeys(offers, Group.OFFERED)
    waiting = [n for n in ranked if verdicts[n] is Verdict.WAITLISTED]
    most = len(waiting) if waitlist is None else waitlist
    for place, number in enumerate(waiting):
        groups[number] = Group.WAITLISTED if place < most else Group.NOT_SELECTED
    for number, verdict in sorted(verdicts.items()):
        if verdict is Verdict.NOT_SELECTED:
            groups.setdefault(number, Group.NOT_SELECTED)
    # An applicant who was refused is written to again only with an offer.
    return {
        number: group
        for number, group in groups.items()
        if group is Group.OFFERED or said.get(number) != (Group.NOT_SELECTED, None)
    }


def _waits(announcement: Announcement) -> bool:
    """Whether an announcement has held letters, and was not withdrawn."""
    return not announcement.taken_back_by and any(
        letter.state is LetterState.HELD for letter in announcement.letters
    )


def _sealed(
    cycle: Cycle, version: int, found: list[Recipient], unoffered: tuple[int, ...]
) -> AnnouncementDraft:
    letters = tuple(a for a in found if a.address)
    content = [
        [a.application, a.group.value, a.offer, a.address, a.subject, a.parts] for a in letters
    ]
    unreachable = tuple(a for a in found if not a.address)
    return AnnouncementDraft(
        version=version,
        read=cycle.position,
        letters=letters,
        unreachable=unreachable,
        unoffered=unoffered,
        seal=seal(
            version=version,
            letters=content,
            unreachable=[[a.application, a.group.value] for a in unreachable],
            unoffered=unoffered,
        ),
    )
