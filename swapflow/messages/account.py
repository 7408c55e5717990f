"""Accounts, sign-in, permissions, keys, webhooks and languages."""

TEXTS = {
    "email_malformed": "“{email}” is no mail address; write name@host",
    "email_unusable": "“{email}” is no mail address: {problem}",
    "email_domain_of_one_word": (
        "“{email}” is no mail address: “{domain}” is a word, not a domain such as {domain}.org"
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
    "role_scope_missing": "name the round, the unit or the program, or take the whole office",
    "role_by_group": (
        "the role was not taken away, because the person has it by the group {groups}; take the "
        "role from the group under Roles by groups, or remove the person from the group at the "
        "identity provider"
    ),
    "group_name_out_of_range": (
        "write the group's name as the identity provider sends it, with at most {longest} "
        "characters"
    ),
    "group_makes_administrators": (
        "the group {group} was not given the role: all its members would become administrators; "
        "confirm that you intend this, or choose another role"
    ),
    "group_role_exists": "the group {group} already gives this role there",
    "group_role_not_found": "the group {group} does not give this role there",
    "group_effect_changed": (
        "nothing was changed: the people who gain or lose the role by the group {group} are no "
        "longer those that were shown; look again"
    ),
    "provider_groups_too_many": (
        "you were not signed in: you are in more groups than your organisation can send, so your "
        "rights are not known; ask an administrator to have only the groups for swapflow sent, "
        "and sign in another way until then"
    ),
    "role_not_held": "{email} does not have this role there",
    "key_unknown": "this key is not known, was revoked, or is past its last day",
    "key_rate_limited": "a key may ask {most} times a minute; wait {seconds} seconds",
    "key_cannot_make_keys": "a key cannot make keys; sign in as a person to make one",
    "key_not_yours": "you have no key of this name",
    "key_name_out_of_range": "say what the key is for, in up to {longest} characters",
    "key_scopes_missing": "choose what the key may do: {scopes}",
    "key_days_out_of_range": "a key is valid for 1 to 3650 days, or for ever",
    "too_many_keys": "there are {most} keys already; revoke one first",
    "program_not_visible": "there is no program “{program}” that you may see",
    "unit_not_visible": "there is no unit “{unit}” that you may see",
    "unit_not_found": (
        "there is no unit {unit!r} in this round; `swapflow units list` shows them all"
    ),
    "unit_exists": "there is a unit {unit!r} already; choose another id",
    "unit_in_use": (
        "the unit {unit!r} was not removed: a program, a unit or a role is in it; move or take "
        "away these first"
    ),
    "unit_name_out_of_range": "write the name of the unit, in up to {longest} characters",
    "unit_renamed_meanwhile": (
        "nothing was renamed: {unit} has another name by now; look at it, and rename it again"
    ),
    "account_closed_ask_office": (
        "the account of {email} is closed; ask an administrator of the office to open it"
    ),
    "unit_too_deep": "a unit can be within {most} others at most; choose one further up",
    "unit_not_chosen": "choose the unit",
    "unit_above_not_chosen": "choose where the new unit is",
    "unit_and_round_differ": "the unit {unit!r} is in another round; choose one of this round",
    "place_not_in_unit": "{place!r} is not within {unit}; choose the unit, or something in it",
    "role_above_own": (
        "you cannot give or take away this role here: it has permissions that you do not have; an "
        "administrator of the office can"
    ),
    "move_needs_both_sides": (
        "the program was not moved: who moves it manages people in the unit that it leaves and in "
        "the unit that it comes to; ask an administrator of the round"
    ),
    "move_gains_own_rights": (
        "the program was not moved: you would gain permissions in it by the move; ask an "
        "administrator of the office to move it"
    ),
    "program_moved_meanwhile": (
        "the program {program!r} was not moved: it belongs to another unit by now; look again at "
        "what the move would change"
    ),
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
    "permission_manage_retention": "set how long data is kept, and place legal holds",
    "permission_back_up": "back up the database, and rehearse restoring it",
    "permission_manage_users": "manage users and their rights",
}
