"""A cycle from its launch on: applicants, reviewers, requests, rules."""

TEXTS = {
    "reviewer_not_in_cycle": "program {cycle!r} has no reviewer {reviewer!r}",
    "request_not_waiting": "this review does not wait for approval any more",
    "swap_names_nothing": "choose another applicant or a reviewer, or approve it as it is",
    "cycle_moved_on": "the program moved on meanwhile; look again, then try once more",
    "request_unknown": "this review is not in this program",
    "swap_applicant_impossible": "this applicant cannot be asked about in its place",
    "swap_reviewer_impossible": (
        "this reviewer may not be asked about this applicant: a conflict, asked before, or "
        "no capacity left"
    ),
    "swap_above_budget": "this review costs more by now, and the budget has no room for it",
    "dashboard_of_another_release": "this board is of another release",
    "dashboard_unreadable": "this is no board",
    "reviewer_not_chosen": "choose a reviewer of this program",
    "applicant_not_named": "write the id of an applicant of this program",
    "reason_missing": "write why; it is kept in the record",
    "not_launched_set_estimates": "the program is not launched; set `estimates` in its rules",
    "list_final_estimates": "the list is final; reopen it before it is made otherwise",
    "estimates_already_used": "the list is made by {estimates} already",
    "round_not_found_make_it": (
        "there is no round {round!r}; `swapflow round new {round}` makes one"
    ),
    "name_not_allowed": (
        "{name!r} cannot name a {noun}: use up to 40 small letters, digits and hyphens, "
        "beginning with a letter or digit"
    ),
    "call_not_sent_here": "nothing here sends the call {call}; a worker does",
    "cycle_not_launched": "program {cycle!r} was not launched yet, so there is nothing to say",
    "offer_open_answer_it": (
        "applicant {applicant!r} has an offer; record their answer instead, and the place is "
        "passed on"
    ),
    "reconsideration_open_end_it": (
        "the reconsideration of {applicant!r} is open; take it back first"
    ),
    "address_not_mailable": "{address!r} is no address that a mail can be sent to",
    "reviewer_there": "reviewer {reviewer!r} has not left",
    "applicant_already": "applicant {applicant!r} is {status} already",
    "applicant_merged": "applicant {applicant!r} was merged into another one",
    "reviewer_not_in_program": "program {cycle!r} has no reviewer {reviewer!r}",
    "erased_not_in_list": "{name!r} is confirmed, and the list has no row of this id",
    "erasure_key_unusable": (
        "the key in {path} cannot be used ({problem}), and without it a list could bring "
        "the person back unnoticed; no one was erased. Let the system user of the server "
        "write there"
    ),
    "erasure_key_stays": (
        "the key in {path} cannot be deleted ({problem}); let the system user of the "
        "server write there, then try again"
    ),
    "reviewer_erased": "reviewer {reviewer} of {cycle!r} was erased already",
    "erasing_on_hold": (
        "erasing is on hold in {cycle!r} since {since} said so ({reason}); `swapflow cycle "
        "hold {cycle} --release` ends that"
    ),
    "erasing_on_legal_hold": (
        "nothing was erased: {by} placed legal hold {hold} ({reason}). Lift it once the reason is "
        "gone, under Set up, Kept data, or by `swapflow round lift {round} {hold}`"
    ),
    "retention_days_out_of_range": (
        "no rule was set: {days} days is not between 1 and {most}; enter a number of days in "
        "between, or leave it out to delete nothing"
    ),
    "kept_kind_unknown": "no rule was set: {kind!r} is no data that a rule can delete",
    "hold_not_found": (
        "no hold was lifted: round {round!r} has no legal hold {hold} that lasts; see the round's "
        "list of holds"
    ),
    "hold_program_missing": (
        "no hold was placed: {applicant!r} is a person of one program; name the program too"
    ),
    "hold_one_person": (
        "no hold was placed: a hold is about one person; leave the applicant or the reviewer out, "
        "and place a second hold for the other"
    ),
    "cycle_not_in_round": "no hold was placed: round {round!r} has no program {cycle!r}",
    "reviewer_address_taken": (
        "reviewer {reviewer!r} has the address {email!r} of reviewer {other!r}; one person is one "
        "reviewer. Correct the address, or remove one of them"
    ),
    "reviewer_listed_twice": "reviewers {other!r} and {reviewer!r} are one id; keep one row",
    "reviewer_left": "reviewer {reviewer!r} has left already",
    "absence_out_of_range": "the last day comes after the first, within two years of it",
    "packet_out_of_range": "have 1 to {most} reviews at the same time",
    "reviewer_number_not_in_program": "program {cycle!r} has no reviewer {number}",
    "applicant_not_in_program": "program {cycle!r} has no applicant {applicant!r}",
    "reviewer_takes_unknown_kind": (
        "reviewer {reviewer!r} takes {kind!r}, which the rules do not have; they have {kinds}"
    ),
    "imported_id_unknown": (
        "there is no {noun} {name!r} in this program; import {noun}s first, or correct the "
        "id. Nothing was changed"
    ),
    "cycle_launched_before": (
        "program {cycle!r} was launched before (it is {status}); a second launch would "
        "ask everyone twice"
    ),
    "cycle_cannot_launch": "program {cycle!r} cannot be launched:\n{problems}",
    "launch_automatic_reviewers": (
        "automatic reviewers in a real program ({programs}): give the rules an [automatic] "
        "table with purpose, approver and date, or take them off the roster"
    ),
    "launch_files_not_redacted": (
        "{count} applicants have files that are not marked redacted, in a blind program "
        "({applicants}): mark them redacted, or set blind = false"
    ),
    "launch_decides_nothing": (
        "{places} places for {applications} applicants leave nothing to decide: import "
        "more applicants, or lower the places"
    ),
    "launch_too_many_applications": (
        "max_applicants = {most} is less than the {applications} applicants there are: "
        "raise it in the rules"
    ),
    "launch_budget_below_floors": (
        "a budget of {budget} cannot pay the floors ({floors}) and the reserve for staff "
        "({staff}): raise the budget to at least {least}, or lower the floors"
    ),
    "launch_kind_without_reviewer": (
        "no reviewer takes {kind!r}: import one, or remove it from the rules"
    ),
    "launch_too_few_reviewers": (
        "{count} applicants have fewer than {needed} reviewers for {kind!r} without a "
        "conflict of interest ({applicants}): add a reviewer"
    ),
    "import_contradicts_record": "applicant {applicant!r}: {reason}; nothing was imported. {cure}",
    "field_not_correctable": (
        "there is no {field!r} to correct; name, email, field:NAME or select:NAME"
    ),
    "applicant_known_so": "{applicant!r} is known so already; nothing was changed",
    "program_takes_no_applicants": "program {cycle!r} has ended and takes no more applicants",
    "applications_closed": (
        "applications to program {cycle!r} closed on {closed_at:%a %-d %b %Y, %H:%M} UTC; change "
        "`applications_close` in the rules to admit late ones"
    ),
    "reviewer_without_mail": (
        "reviewer {reviewer!r} has no mail address; import the roster again with one"
    ),
    "nothing_waits_for_reviewer": "nothing waits for reviewer {reviewer!r}",
    "reviewer_reminded_today": "reviewer {reviewer!r} was asked today already; try tomorrow",
    "everybody_reminded_today": (
        "every late reviewer with a mail address was asked today already"
    ),
    "pin_reason_missing": "why is {applicant!r} put there? Give a reason",
    "pinned_so_already": "{applicant!r} has this status already",
    "came_in_meanwhile": "something came in at the same moment; try again",
    "pins_need_mixture": (
        'the rules compare single applicants (certificate = "pairwise"), which finds no '
        'applicant\'s place certain; write certificate = "mixture" first'
    ),
    "no_candidate": "{applicant!r} is no candidate",
    "groups_share_no_applicant": (
        "{count} groups of reviewers will share no applicant ({groups:; }), so nothing "
        "will tell how high one group marks against another: let some applicants be read "
        "by people of several groups, with panels that overlap or a second review"
    ),
    "kinds_overlap_by_chance": (
        "reviews and interviews are compared by chance: at most {kinds} go to applicants "
        "near the cut, for {cost} of the {left} that the floors and the reserve leave"
    ),
    "seed_written": (
        "the seed {seed} is written in the rules file: who knows it can try ids until one "
        "wins every tie. Without one (seed = 0) the launch draws a seed that stays hidden "
        "until the list is final"
    ),
    "close_floor_forecast": (
        "about {count} applicants are likely to be too close to call once every applicant "
        "has what is promised; {promised} for each of them take about {cost} of the "
        "{left} that the other floors and the reserve leave"
    ),
    "close_floor_above_budget": (
        "about {count} applicants are likely to be too close to call once every applicant "
        "has what is promised; {promised} for each of them take about {cost}, and the "
        "other floors and the reserve leave {left}: raise the budget, or lower the floor "
        "for those too close to call"
    ),
    "draw_forecast": (
        "about {out} applicants are likely to be clearly out; {count} of them are drawn before "
        "asking stops and read once more by a reviewer new to them, for {cost} of the budget"
    ),
    "draw_of_most": (
        "{count} drawn are most of the {out} who are likely to be clearly out: in a program this "
        "small the drawn check reads nearly all of them once more; turn it off if that is too much"
    ),
    "draw_without_new_reviewer": (
        "with {reviewers} reviewers, each of them may have read the applicants who are drawn; a "
        "drawn applicant without a reviewer new to them stays unread, and the list is signed with "
        "a reason: add a reviewer, or turn the drawn check off"
    ),
    "floors_above_capacity": (
        "the floors ask for {floor} × {kind}, and the reviewers take {room} in all: raise "
        "capacities, or add reviewers"
    ),
    "reviewers_take_both": (
        "{count} of {reviewers} reviewers take both {first} and {second}: no reviewer "
        "gets the same applicant twice, but the two opinions come from the same people. "
        "Separate them by capacities if they shall be independent"
    ),
    "reviewers_without_mail": (
        "{count} reviewers have no mail address: they get no mail and cannot sign in"
    ),
    "applicants_incomplete": (
        "{count} applicants are incomplete: they take part once they are marked ready"
    ),
    "application_not_in_cycle": "program {cycle!r} has no applicant {applicant!r}",
    "program_is_real": (
        "{cycle!r} is a real program, so it stays as it is; only a practice program can be thrown "
        "away or filled by automatic reviewers. `swapflow cycle list` shows which are for practice"
    ),
    "practice_of_practice": (
        "{cycle!r} is a practice program itself; make another one of the real program"
    ),
    "practice_is_no_template": (
        "{cycle!r} is a practice program, so no program begins with it; choose a real one"
    ),
    "practice_stays_inside": "nothing leaves {cycle!r}: it is a practice program",
    "practice_count_out_of_range": "a practice program has {fewest} to {most} invented applicants",
    "practice_too_few_applicants": (
        "{count} invented applicants for {places} places decide nothing: invent more than there "
        "are places"
    ),
    "template_years_out_of_range": "dates can lie 1 to {most} years later; 0 leaves them out",
    "template_name_missing": "write the name of the new program",
    "template_round_missing": (
        "choose the round that the new program belongs to, or write the name of a new one"
    ),
    "whole_number_missing": "write a whole number, or leave it empty",
    "mail_of_practice": "practice program: no mail leaves it",
    "cycle_finalized": (
        "program {cycle!r} is finalized; `swapflow cycle reopen` starts another version"
    ),
    "rule_needs_sigma": (
        "the rule {rule!r} needs `sigma`, the spread of marks around an applicant's true "
        "score on a scale of 0 to 1; 0.15 to 0.17 is common"
    ),
    "list_final_rules": "the list is final; reopen it before the rules change",
    "request_not_found": "there is no review {request!r}",
    "request_not_proposed": "review {request!r} is {status}, not proposed",
    "nobody_ticked": "choose the applicants first",
    "too_many_ticked": "{count} applicants are chosen; at most {most} at once",
    "ticked_not_in_program": "one of the chosen applicants is not in this program",
    "ticked_in_other_state": (
        "{count} of the chosen is not {allowed}: {applicants}; nothing was done, leave it out",
        "{count} of the chosen are not {allowed}: {applicants}; nothing was done, leave them out",
    ),
    "request_not_taken_back": (
        "this review cannot be taken back: it was begun, answered or closed, or the rule asked "
        "for it"
    ),
    "held_act_unknown": "this program has no act of this number to undo",
    "held_act_ended": "nothing was undone: it was carried out or undone already",
    "held_date_moved": (
        "nothing was undone: one of these dates was changed since; change it on the page of "
        "interviews"
    ),
    "held_requests_gone": "none of these reviews waited for approval any more",
    "kinds_moved": (
        "reviews and interviews may be appended, not removed, renamed or moved: {before} "
        "before, {after} now"
    ),
    "seed_fixed": "the seed cannot change after launch: ties hang on it",
    "attribute_fixed": "the objective's attribute cannot change after launch",
    "budget_below_spent": "a budget of {budget} is below the {spent} that are spent and committed",
    "cycle_in_other_state": (
        "program {cycle!r} is {status}; only a program that is {allowed} can be {verb}"
    ),
    "names_and_more": "{names} and {more} more",
    "joined_by_and": " and ",
    "joined_by_or": " or ",
    "more_groups": "{count} more groups",
    "requests_wait_with_reviewer": (
        (
            "{count} review of {cycle!r} waits with {reviewer!r}; `swapflow reviewers "
            "leave {cycle} {reviewer}` passes them on to others, then erase"
        ),
        (
            "{count} reviews of {cycle!r} wait with {reviewer!r}; `swapflow reviewers "
            "leave {cycle} {reviewer}` passes them on to others, then erase"
        ),
    ),
    "reviewer_figures_off": (
        '{cycle} tells no figures about reviewers: its rules say reviewer_figures = "off"'
    ),
    "reviewer_figures_gone": (
        "figures about the reviewers of {cycle} are gone: the list has been final for {days} days"
    ),
    "no_deadline": (
        "there is no deadline: reviews are asked for until the reviewer time is used up or more "
        "reviews would change little"
    ),
    "no_application_yet": "there is no applicant yet: import applicants",
    "sign_in_without_provider": (
        'sign_in = "provider": no identity provider is connected, so no one could open '
        'the program: set sign_in = "any", or have an administrator set '
        "SWAPFLOW_OIDC_ISSUER"
    ),
    "no_automatic_reviewer_here": "nothing here answers for the automatic reviewer {reviewer!r}",
}
