"""What is wrong with rules."""

TEXTS = {
    "mail_check_sender_good": "mails come from {sender}",
    "mail_check_sender_no_domain": "mails come from {sender}, which no one outside can answer",
    "mail_check_sender_no_domain_cure": "set SWAPFLOW_MAIL_FROM to an address of your domain",
    "mail_check_settings_cure": "correct them; docs/administrators.md lists each setting",
    "mail_check_dns_cure": "set SWAPFLOW_DNS_SERVER to a resolver that answers",
    "mail_check_spf_good": "{domain}: {record}",
    "mail_check_spf_none": "{domain} names no server that may send for it",
    "mail_check_spf_none_cure": (
        'publish a TXT record at {domain}: "v=spf1 include:YOUR-MAIL-SERVICE -all"'
    ),
    "mail_check_spf_several": (
        "{domain} has {records} SPF records, so receivers ignore all of them"
    ),
    "mail_check_spf_several_cure": "join them into one",
    "mail_check_spf_lookups": (
        "the record of {domain} needs more than {most} lookups, so receivers ignore it"
    ),
    "mail_check_spf_lookups_cure": "name fewer services, or their addresses (ip4:, ip6:)",
    "mail_check_spf_open": "the record of {domain} does not forbid other servers: {record}",
    "mail_check_spf_open_cure": "end it with -all, or ~all while you try it",
    "mail_check_dkim_good": (
        "there is a key at {place}; a test mail shows whether your server signs with it"
    ),
    "mail_check_dkim_unknown": (
        "the key that signs your mails was not checked, because its selector is not set"
    ),
    "mail_check_dkim_unknown_cure": (
        "set SWAPFLOW_DKIM_SELECTOR to the selector; the people who run your mail server know it"
    ),
    "mail_check_dkim_none": "there is no key at {place}",
    "mail_check_dkim_none_cure": ("publish your mail server's public key there as a TXT record"),
    "mail_check_dkim_taken_back": "the key at {place} was withdrawn (p= is empty)",
    "mail_check_dkim_taken_back_cure": (
        "publish the key in use, or set SWAPFLOW_DKIM_SELECTOR to its selector"
    ),
    "mail_check_dmarc_good": "{domain}: p={policy}",
    "mail_check_dmarc_none": "{domain} has no policy; large receivers ask for one",
    "mail_check_dmarc_none_cure": (
        'publish a TXT record at _dmarc.{domain}: "v=DMARC1; p=none; rua=mailto:…"'
    ),
    "mail_check_dmarc_unreadable": "the policy at _dmarc.{domain} has no valid p=",
    "mail_check_dmarc_unreadable_cure": "write p=none, p=quarantine or p=reject",
    "mail_check_dmarc_watches": "the policy of {domain} only asks for reports (p=none)",
    "mail_check_dmarc_watches_cure": (
        "write p=quarantine once the reports show that your mails pass"
    ),
    "act_probe_sent": "sent a test mail to you",
    "act_strays_settled": "marked the reports that fit no mail as seen",
    "mail_without_server": "no mail server",
    "launch_without_mail": (
        "no mail server is set up, so no mail leaves: reviewers are not told that reviews wait "
        "for them; mails wait until an administrator connects a mail server"
    ),
    "many_out_untapered": (
        "up to {out} reviews are out at once, also near the end: at 2 reviews each 200 "
        "out cost about 5 %, 450 about 14 % of what the list lacks; `taper = 0.5` keeps "
        "fewer out then and takes 1.1 times as long (1.5 times at 1.25 reviews each)"
    ),
    "many_out_tapered": (
        "up to {out} reviews are out at once, near the end at most {share:.0%} of the "
        "money that is left: that takes about 1.1 times as long at 2 reviews each (1.5 "
        "times at 1.25) and spares most of what many at once cost, 5 % with 200 out and "
        "14 % with 450 of what the list lacks"
    ),
    "below_least": "it must be at least {least}",
    "below_least_cure": "Write {least} or more",
    "outside_bounds": "it must be from {least} to {most}",
    "outside_bounds_cure": "Write a whole number from {least} to {most}",
    "path_unreadable": "{path}: cannot be read ({problem}). Check the name and the folder",
    "rules_not_utf8": "{name}: this is no UTF-8 text (byte {position}). Save it as UTF-8",
    "not_toml": (
        "{source}: this is not TOML: {problem}. Look at that line: text is in double "
        "quotes, a setting is name = value, and a name is set once"
    ),
    "template_unknown": "there is no template {name!r}; there are {templates}",
    "template_value_unknown": "the template {name!r} has no value {value!r}; it has {values}",
    "session_out_of_range": "a device stays signed in for an hour to {most:g} days",
    "too_many_kinds": "there are {count} reviews and interviews, and {most} are the most",
    "quorum_cure": "Write a number from 1 to {seats}, or raise `seats`",
    "required_above_maximum": (
        "an applicant gets {maximum} {required} at most, so no {kind} could ever begin"
    ),
    "required_above_maximum_cure": "Lower it to {maximum}, or raise the maximum of {required}",
    "too_many_questions": "there are {count} questions, and {most} are the most",
    "guidance_too_long": "it has more than {most} characters",
    "floor_above_maximum": "{kind} is allowed at most {maximum} times per applicant (its maximum)",
    "floor_above_maximum_cure": "Lower the count, or raise the maximum of {kind}",
    "budget_below_cheapest": "the cheapest review costs {least}, so not one review can be paid",
    "budget_below_cheapest_cure": (
        "Raise the budget to {least} or more, in the same unit as the costs"
    ),
    "floors_above_budget": (
        "the floors alone cost {needed} even if there were only as many applicants as places "
        "({places})"
    ),
    "protected_trait_without_basis": (
        "it is on the list of protected traits and their proxies ({trait}), and no legal "
        "basis is recorded"
    ),
    "automatic_setting_missing": "Fill in {setting}, or remove the table [automatic]",
    "applications_close_after_deadline": "applications close after the deadline ({deadline})",
    "rule_needs_spread": 'the rule "{rule}" needs the spread of marks, sigma',
    "overlap_out_of_range": (
        "the share near the cut who get another review by chance is from 0 to {most:g}"
    ),
    "cohort_of_everybody": (
        "there are {places} places, so with no more applicants than that there is nothing to "
        "choose"
    ),
    "rules_kind_unknown": "there is no review of that name; there are {kinds}",
    "same_twice": "the same {what} is there {count} times",
    "setting_missing_cure": "Add {setting}",
    "setting_not_a_choice": "it is one of {choices}",
    "setting_of_other_type": "it should be {type}",
    "minimums_impossible": "no list can have this many: the most is {most}",
    "minimums_impossible_cure": "Write {most} or less, or raise the maximum or the places",
    "share_above_largest": "it is above the largest share, {largest:g}",
    "fewest_places_out_of_range": "the fewest places to fill lie between 1 and all {places}",
    "rules_refused": (
        "{source}: {count} problem\n  {problems:\n  }",
        "{source}: {count} problems\n  {problems:\n  }",
    ),
    "rules_problem": "{place}: {reason}. {cure}",
    "rules_problem_at_value": "{place} = {value}: {reason}. {cure}",
    "quorum_above_seats": (
        "a quorum of {quorum} cannot be met with {count} reviewer",
        "a quorum of {quorum} cannot be met with {count} reviewers",
    ),
    "kinds_wait_in_circle": (
        "these reviews wait for each other, so none can ever begin: {kinds: → }"
    ),
    "holidays_region_cure": "Write {country} alone, or with its region: {regions}",
    "closed_days_unreadable": "this is no day and no span of at most {most} days",
    "language_cure": "Write one of {languages}, or remove the line",
    "no_such_column": "there is no column {column!r} that reviewers could see; there are {known}",
    "promises_from_reserve": (
        (
            "{count} applicant lacks promised reviews that cost {needed} {unit}: {free} "
            "are free, and {taken} of the {reserve} kept for staff would pay the rest "
            "(`swapflow cycle reserve CYCLE --take`)"
        ),
        (
            "{count} applicants lack promised reviews that cost {needed} {unit}: {free} "
            "are free, and {taken} of the {reserve} kept for staff would pay the rest "
            "(`swapflow cycle reserve CYCLE --take`)"
        ),
    ),
    "promises_beyond_reserve": (
        (
            "{count} applicant lacks promised reviews that cost {needed} {unit}: {free} "
            "are free and {reserve} are kept for staff, so that the budget is short by "
            "{beyond}"
        ),
        (
            "{count} applicants lack promised reviews that cost {needed} {unit}: {free} "
            "are free and {reserve} are kept for staff, so that the budget is short by "
            "{beyond}"
        ),
    ),
    "promises_beyond_budget": (
        (
            "{count} applicant lacks promised reviews that cost {needed} {unit}: {free} "
            "are free and nothing is kept for staff, so that the budget is short by "
            "{beyond}"
        ),
        (
            "{count} applicants lack promised reviews that cost {needed} {unit}: {free} "
            "are free and nothing is kept for staff, so that the budget is short by "
            "{beyond}"
        ),
    ),
    "promises_need_no_reserve": (
        "no promised review is missing that the reserve could pay, so that nothing was changed"
    ),
    "promises_changed": (
        "promised reviews need {needed} {unit} of the reserve by now, not {shown}: look again"
    ),
    "approvals_hold_all": (
        "nothing else is out: asking goes on or ends once {count} review is approved or declined",
        (
            "nothing else is out: asking goes on or ends once {count} reviews are approved or "
            "declined"
        ),
    ),
    "approvals_take_places": (
        "all {out} places for reviews are taken, {count} of them by a review to be approved",
        "all {out} places for reviews are taken, {count} of them by reviews to be approved",
    ),
    "approvals_hold_lockstep": (
        "the next decision waits for all {out} open reviews; {count} of them waits for approval",
        "the next decision waits for all {out} open reviews; {count} of them wait for approval",
    ),
    "values_perhaps_one": (
        "{attribute}: {values} are perhaps one value in several spellings, and count as several "
        "groups: take them for one, or keep them apart (`swapflow applications values CYCLE`)"
    ),
    "rules_value_near": (
        "the rules name {attribute} = {value!r}, which no applicant has; perhaps {near} is meant: "
        "change the rules, or take the two for one (`swapflow applications values CYCLE`)"
    ),
    "rules_value_unknown": "the rules name {attribute} = {value!r}, which no applicant has",
    "values_options_incomplete": (
        "give --attribute and --spelling with --into VALUE or with --apart, or --mend alone"
    ),
    "values_blank": "name an attribute, its spellings and the value that they are taken for",
    "hours_missing": "write how much time reviewers have in all, above 0",
    "questions_after_launch": (
        "the program is launched: change its rules under All rules, with a reason"
    ),
    "reviewers_see_nothing": (
        "the program is blind and reviewers see no column, no file and no link of an applicant: "
        "choose the columns to show (`swapflow applications columns CYCLE --show COLUMN`)"
    ),
}
