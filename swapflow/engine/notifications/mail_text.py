"""The words of every mail, written once: plain text and HTML both come from them.

No mail to reviewers or staff holds an applicant's name, mark or document, since a mail is read on
screens outside of swapflow. The letters to applicants are in `engine.offers.announcements`. Every
value is escaped where it enters the HTML.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from swapflow.engine.ports.records import Mail
from swapflow.i18n.formatting import counted
from swapflow.i18n.languages import Language, current_language, gettext


_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\u0085\u2028\u2029]+")
_BODY = "margin:0 auto;max-width:34rem;padding:1rem;font:16px/1.5 system-ui,sans-serif"
_BUTTON = (
    "display:inline-block;padding:.7rem 1.2rem;border-radius:10px;background:#0f5c63;"
    "color:#ffffff;text-decoration:none;font-weight:600"
)


@dataclass(frozen=True, slots=True)
class Link:
    """An address to go to: a button in HTML, a line of its own in plain text."""

    address: str
    label: str


@dataclass(frozen=True, slots=True)
class Code:
    """A code to be typed, set apart from the text."""

    text: str


MailPart = str | Link | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class MailText:
    """A mail before it has a recipient.

    Attributes:
        subject: One line.
        parts: Paragraphs and links, in order.
        calendar: An iCalendar object that is attached, "" for none.
        language: The language of the text; by default the current one.
    """

    subject: str
    parts: tuple[MailPart, ...]
    calendar: str = ""
    language: Language = field(default_factory=current_language)

    def to(self, address: str, *, mail_id: str) -> Mail:
        """Address the mail text; two mails with one id are sent once."""
        return Mail(
            id=mail_id,
            to=address,
            subject=one_line(self.subject),
            text=self.text,
            html=self.html,
            calendar=self.calendar,
            state="queued",
        )

    @property
    def text(self) -> str:
        """The plain text."""
        return "\n\n".join(_plain(part) for part in self.parts) + "\n"

    @property
    def html(self) -> str:
        """The HTML version of the same words, without resources from elsewhere."""
        body = "\n".join(_marked_up(part) for part in self.parts)
        return (
            f'<!doctype html>\n<html lang="{self.language.tag}" dir="{self.language.direction}">'
            f'<head><meta charset="utf-8">'
            f"<title>{escape(one_line(self.subject))}</title></head>\n"
            f'<body style="{_BODY}">\n{body}\n</body></html>\n'
        )


def one_line(text: str) -> str:
    """Replace line breaks and control characters, so that a value cannot start a mail header."""
    # A subject with a line break would let a program's name add headers to the mail.
    return _BREAKS.sub(" ", text).strip()


def probe_mail() -> MailText:
    """Write the mail by which a person sees whether mails arrive."""
    return MailText(
        subject=gettext("Test mail of swapflow"),
        parts=(
            gettext("This mail has arrived, so the mails of your programs can arrive, too."),
            gettext(
                "If it was in your spam folder, open its source and find the line that begins "
                "with Authentication-Results. It should say spf=pass, dkim=pass and dmarc=pass. "
                "Give this line to the people who run your mail server."
            ),
        ),
    )


# Sign-in


def sign_in_mail(link: str, code: str, minutes: int) -> MailText:
    """Write a sign-in mail: with a link, and a code to type on the page that asked for it."""
    return MailText(
        subject=gettext("Your sign-in link"),
        parts=(
            gettext("This address asked for a sign-in link, most likely you did."),
            Link(link, gettext("Sign in")),
            gettext("Or type this code on the page that asked for it:"),
            Code(code),
            counted(
                minutes,
                "Link and code work once, for %(count)s minute.",
                "Link and code work once, for %(count)s minutes.",
            ),
            gettext("If it was not you, there is nothing to do: signing in takes this mail."),
        ),
    )


def invitation_mail(by: str, *, link: str, days: int, again: str) -> MailText:
    """Write the first sign-in mail for an account that another person created."""
    return MailText(
        subject=gettext("You have been given an account in swapflow"),
        parts=(
            gettext("%(by)s has made an account for this address in swapflow.") % {"by": by},
            Link(link, gettext("Sign in")),
            counted(
                days,
                "The link works once, for %(count)s day. A new one comes whenever you ask:",
                "The link works once, for %(count)s days. A new one comes whenever you ask:",
            ),
            Link(again, gettext("Ask for a new one")),
        ),
    )


# To reviewers


def waiting_mail(
    program: str,
    *,
    count: int,
    due: str,
    link: str,
    office: str = "",
    effort: str = "",
    good_until: str = "",
) -> MailText:
    """Write how many reviews wait, how long they take, and the next due date.

    Args:
        program: The program's name.
        count: Reviews that wait.
        due: The next due date, "" for none.
        link: Where they are; signs its reader in where `good_until` says for how long.
        office: Who asks, "" where nobody has named the office.
        effort: The time for all of them together, "" where the round does not count minutes.
        good_until: The day until which the link signs in, "" for a link that does not.
    """
    about = {"office": one_line(office), "program": one_line(program)}
    return MailText(
        subject=_waiting_subject(program, count),
        parts=(
            _sentences(
                counted(
                    count,
                    "%(office)s asks you for one review in “%(program)s”.",
                    "%(office)s asks you for %(count)s reviews in “%(program)s”.",
                    **about,
                )
                if office
                else counted(
                    count,
                    "One review waits for you in “%(program)s”.",
                    "%(count)s reviews wait for you in “%(program)s”.",
                    program=one_line(program),
                ),
                counted(
                    count,
                    "It takes about %(effort)s.",
                    "They take about %(effort)s.",
                    effort=effort,
                )
                if effort
                else "",
                _next_due(due),
            ),
            Link(link, gettext("See your reviews")),
            *_about_link(good_until),
            gettext("Can't do one? Decline it soon and another reviewer is asked."),
        ),
    )


def reminder_mail(program: str, *, count: int, due: str, link: str, last: bool) -> MailText:
    """Write a reminder of reviews that are due soon."""
    subject = (
        counted(
            count,
            "Last reminder: %(count)s review is due by %(due)s",
            "Last reminder: %(count)s reviews are due by %(due)s",
            due=due,
        )
        if last
        else counted(
            count,
            "Reminder: %(count)s review is due by %(due)s",
            "Reminder: %(count)s reviews are due by %(due)s",
            due=due,
        )
    )
    after = (
        counted(
            count,
            "After that another reviewer is asked.",
            "After that other reviewers are asked.",
        )
        if last
        else gettext("Can't do it? Decline it and another reviewer is asked.")
    )
    return MailText(
        subject=subject,
        parts=(
            counted(
                count,
                "%(count)s review is due in “%(program)s” by %(due)s.",
                "%(count)s reviews are due in “%(program)s”, the first of them by %(due)s.",
                program=one_line(program),
                due=due,
            ),
            Link(link, gettext("Go to your reviews")),
            after,
            gettext("What you have typed so far is kept."),
        ),
    )


def nudge_mail(program: str, *, count: int, due: str, link: str, by: str) -> MailText:
    """Write a request for waiting reviews, on behalf of a person."""
    return MailText(
        subject=_waiting_subject(program, count),
        parts=(
            gettext("%(by)s asks you to look at your reviews in “%(program)s”.")
            % {"by": by, "program": one_line(program)},
            _sentences(
                counted(count, "One review waits for you.", "%(count)s reviews wait for you."),
                _next_due(due),
            ),
            Link(link, gettext("See your reviews")),
            gettext("Can't do them? Decline them and another reviewer is asked."),
        ),
    )


# To staff


def signature_mail(program: str, *, link: str) -> MailText:
    """Write that a decision waits for the signature of its reader."""
    return MailText(
        subject=gettext("A decision waits for your signature: %(program)s")
        % {"program": one_line(program)},
        parts=(
            gettext("A decision in “%(program)s” is prepared and waits for your signature.")
            % {"program": one_line(program)},
            Link(link, gettext("Look at it and sign")),
            gettext("Nothing is signed by opening the link."),
        ),
    )


def to_do_mail(lines: Sequence[tuple[str, str]], *, link: str) -> MailText:
    """Write what waits for its reader.

    Args:
        lines: Program ("" for none) and sentence of each thing, in order.
        link: Where it is done.
    """
    told = []
    for program in dict.fromkeys(program for program, _ in lines):
        mine = [f"– {said}" for one, said in lines if one == program]
        told.append("\n".join([one_line(program), *mine] if program else mine))
    return MailText(
        subject=counted(
            len(lines), "%(count)s thing waits for you", "%(count)s things wait for you"
        ),
        parts=(
            *told,
            Link(link, gettext("See what waits for you")),
            gettext("This mail comes once a day at most, and only while something waits."),
        ),
    )


def _plain(part: MailPart) -> str:
    if isinstance(part, Link):
        return f"{part.label}:\n{part.address}"
    return f"    {part.text}" if isinstance(part, Code) else part


def _marked_up(part: MailPart) -> str:
    if isinstance(part, Link):
        address, label = escape(part.address), escape(part.label)
        return f'<p><a href="{address}" style="{_BUTTON}">{label}</a></p>'
    if isinstance(part, Code):
        return f'<p style="font-size:1.5rem;letter-spacing:.15em">{escape(part.text)}</p>'
    return f"<p>{escape(part)}</p>".replace("\n", "<br>\n")


def _waiting_subject(program: str, count: int) -> str:
    return counted(
        count,
        "One review waits for you: %(program)s",
        "%(count)s reviews wait for you: %(program)s",
        program=program,
    )


def _next_due(due: str) -> str:
    return gettext("The next one is due by %(due)s.") % {"due": due} if due else ""


def _about_link(good_until: str) -> tuple[str, ...]:
    """Return what a link that signs in is good for; nothing for another one."""
    if not good_until:
        return ()
    return (
        gettext(
            "The link is for you alone: it signs you in once, until %(day)s. After that it offers "
            "you a new one."
        )
        % {"day": good_until},
    )


def _sentences(*said: str) -> str:
    return " ".join(sentence for sentence in said if sentence)
