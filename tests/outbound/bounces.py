"""Mails as mail servers write them when one of ours comes back; written after their manuals."""

CODE = "sf" + "abcdefghijklmnopqrstuvwxyz"
MESSAGE_ID = f"<fall.waiting.3.{CODE}@example.edu>"
_OURS = f"""From: Admissions <office@example.edu>
To: r3@example.org
Subject: 2 reviews wait for you
Message-ID: {MESSAGE_ID}

Two reviews wait.
"""


def report(
    status: str,
    diagnostic: str,
    *,
    action: str = "failed",
    by: str = "mx.example.org",
    subject: str = "Undelivered Mail Returned to Sender",
    about: str = _OURS,
    to: str = "office@example.edu",
) -> bytes:
    """A report by RFC 3464, with the mail that it is about as its third part."""
    return f"""Return-Path: <>
From: MAILER-DAEMON@{by} (Mail Delivery System)
To: {to}
Subject: {subject}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: text/plain

This is the mail system at host {by}.

--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; {by}
Arrival-Date: Mon, 30 Nov 2026 12:00:00 +0000

Final-Recipient: rfc822; r3@example.org
Action: {action}
Status: {status}
Diagnostic-Code: smtp; {diagnostic}

--=_b
Content-Type: message/rfc822

{about}
--=_b--
""".encode()


POSTFIX_SAID = "550 5.1.1 <r3@example.org>: Recipient address rejected: User unknown"
POSTFIX = report("5.1.1", POSTFIX_SAID)
EXIM = report(
    "5.0.0",
    "550 5.1.1 No such user",
    subject="Mail delivery failed: returning message to sender",
)
SENDMAIL = report(
    "5.1.2",
    "550 Host unknown (Name server: example.org: host not found)",
    subject="Returned mail: see transcript for details",
    about=f"Message-Id: {MESSAGE_ID}\nSubject: 2 reviews wait for you\n",
)
EXCHANGE = report(
    "5.4.1",
    "550 5.4.1 Recipient address rejected: Access denied. [NAM02.example.org]",
    by="NAM02.prod.outlook.com",
    subject="Undeliverable: 2 reviews wait for you",
    about="Subject: 2 reviews wait for you\n",
).replace(b"Auto-Submitted: auto-replied", f"In-Reply-To: {MESSAGE_ID}".encode())
GMAIL = report(
    "5.1.1",
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\n"
    " 550-5.1.1 double-checking the recipient's email address for typos",
    by="googlemail.com",
    subject="Delivery Status Notification (Failure)",
)
FULL = report("5.2.2", "552 5.2.2 Mailbox over quota")
REFUSED = report("5.7.1", "550 5.7.1 Message rejected as spam by content filtering")
EXPIRED = report("4.4.1", "connect to mx.example.org[192.0.2.1]:25: Connection timed out")
DELAYED = report("4.4.1", "connect to mx.example.org: timed out", action="delayed")
RECEIPT = report("2.0.0", "250 2.0.0 OK", action="delivered")
BY_ADDRESS = report(
    "5.1.1",
    "550 5.1.1 user unknown",
    about="Subject: nothing of ours is left\n",
    to=f"bounces+{CODE.upper()}@example.edu",
)
PLAIN_EXIM = f"""Return-Path: <>
X-Failed-Recipients: r3@example.org
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.example.org>
To: office@example.edu
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  r3@example.org
    Unrouteable address

------ This is a copy of the message, including all the headers. ------

Message-ID: {MESSAGE_ID}
""".encode()
PLAIN_QMAIL = f"""Return-Path: <>
From: MAILER-DAEMON@mx.example.org
To: office@example.edu
Subject: failure notice

Hi. This is the qmail-send program at mx.example.org.
I wasn't able to deliver your message to the following addresses.

<r3@example.org>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 no mailbox here by that name

--- Below this line is a copy of the message.

Message-ID: {MESSAGE_ID}
""".encode()
PLAIN_DELAYED = PLAIN_EXIM.replace(
    b"Mail delivery failed: returning message to sender", b"Warning: message 1abc delayed 24 hours"
)
OUT_OF_OFFICE = f"""From: Rita <r3@example.org>
To: office@example.edu
Subject: Automatic reply: 2 reviews wait for you
Auto-Submitted: auto-replied
In-Reply-To: {MESSAGE_ID}

I am away until Monday. In urgent cases call extension 5501 or 550 0001.
""".encode()
ANSWER = f"""From: Rita <r3@example.org>
To: office@example.edu
Subject: Re: 2 reviews wait for you
In-Reply-To: {MESSAGE_ID}

My old address could not be delivered to, said a friend: 550 5.1.1. What now?
""".encode()
