"""Accounts, sign-in, permissions, keys, webhooks and languages."""

TEXTS = {
    "email_malformed": "{email!r} is no mail address; write name@host",
    "email_unusable": "{email!r} is no mail address: {problem}",
    "email_domain_of_one_word": (
        "{email!r} is no mail address: {domain!r} is a word, not a domain such as {domain}.org"
    ),
    "mail_server_lacks_utf8": (
        "{host} cannot send to {text!r}: it does not know addresses with letters beyond ASCII"
    ),
    "password_wrong": "this address and password do not belong together",
    "link_unknown": "this link is not known; perhaps the mail broke it in two",
    "sign_in_method_refused": (
        "this program opens only to people who sign in through their organisation"
    ),
    "sign_in_too_old": "you signed in too long ago for this program; please do again",
    "device_signed_out": "this device is signed out already",
    "too_many_tries": "too many tries; the next one is taken in {minutes} minutes",
    "password_length": (
        "a password has {shortest} to {longest} characters; a few unrelated words make a good one"
    ),
    "password_repeats": "this password repeats a few characters; take unrelated words",
    "password_not_current": "this is not your password so far",
    "account_not_found": "there is no account for {email!r}",
    "account_closed_open_first": "the account of {email} is closed; open it first",
    "role_scope_missing": "name the round or the program, or take the whole office",
    "role_not_held": "{email} does not have this role there",
    "key_unknown": "this key is not known, was revoked, or is past its last day",
    "key_rate_limited": "a key may ask {most} times a minute; wait {seconds} seconds",
    "key_cannot_make_keys": "a key cannot make keys; sign in as a person to make one",
    "key_not_yours": "you have no key of this name",
    "key_name_out_of_range": "say what the key is for, in up to {longest} characters",
    "key_scopes_missing": "choose what the key may do: {scopes}",
    "key_days_out_of_range": "a key is good for 1 to 3650 days, or for ever",
    "too_many_keys": "there are {most} keys already; revoke one first",
    "program_not_visible": "there is no program {program!r} that you may see",
    "permission_missing": (
        "you may not {permission} here; an administrator can give you a role that may"
    ),
    "link_used": "this link was used or is out of date; ask for a new one",
    "provider_address_not_verified": (
        "your organisation does not vouch for your mail address, so no account here can "
        "be found by it; sign in with a mailed link, or ask an administrator"
    ),
    "provider_address_of_another": (
        "this address belongs to another person at your organisation; ask an "
        "administrator to look at the account"
    ),
    "account_closed": "this account is closed; an administrator can open it again",
    "nobody_at_provider_address": (
        "there is no account for your address and no program has you as a reviewer; ask "
        "the office that invited you which address they have"
    ),
    "account_not_found_masked": "there is no account for {email}",
    "webhook_address_malformed": "an address has up to 2000 plain characters without spaces",
    "webhook_address_unreadable": "{url!r} is no address; write https://host/path",
    "webhook_address_not_https": "an address begins with https:// and names a host",
    "webhook_address_with_extras": (
        "an address carries neither a name, a password nor a fragment; calls are signed"
    ),
    "webhook_address_private": (
        "{host} is inside a private network, where calls may not go; an administrator can "
        "allow it by SWAPFLOW_WEBHOOK_PRIVATE=true"
    ),
    "webhook_events_missing": "choose what is told: {events}",
    "too_many_webhooks": "there are {most} webhooks already; remove one first",
    "language_unknown": "there is no language {language!r} here; try one of {languages}",
    "catalogue_unreadable": "{file}: {problem}; correct the file",
    "code_wrong": "this code is wrong, used up or out of date; you can ask for a new one",
    "permission_see_progress": "see how far a program is",
    "permission_see_applicants": "see applicants and what reviewers said",
    "permission_see_reviewers": "see reviewers and their load",
    "permission_manage_applicants": "import and change applicants",
    "permission_manage_reviewers": "import and change reviewers",
    "permission_enter_reviews": "enter, correct or void a review",
    "permission_approve": "approve reviews before they go out",
    "permission_run": "launch, pause and stop a program",
    "permission_set_up": "set up programs and change their rules",
    "permission_decide": "prepare and record decisions",
    "permission_sign": "sign a decision",
    "permission_export": "download lists and reports",
    "permission_see_mail": "read mails that were sent",
    "permission_see_audit": "read the audit log",
    "permission_see_severity": "see how high reviewers mark",
    "permission_see_monitoring": "see what became of groups of applicants",
    "permission_manage_users": "manage users and their rights",
}
