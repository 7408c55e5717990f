"""The list, and what follows it: meetings, offers, letters, reconsiderations."""

TEXTS = {
    "defence_reviewers_forbidden": (
        "reviewers are named for those who may see reviewers; leave that out for a file with "
        "numbers"
    ),
    "defence_without_decision": (
        "nothing is decided yet, so there is no decision to defend; the file is there once a list "
        "is final"
    ),
    "rule_promises_no_bound": (
        "The rule {rule} promises nothing on its own; the number above is the most that "
        "the list could still gain under the stated assumptions. This is about marks, not "
        "merit."
    ),
    "hold_out_of_range": "letters are held from 0 minutes to {days} days before they leave",
    "letters_out_of_date": (
        "changed since these letters were shown: {changed:, }. Nothing was written; look at them "
        "once more"
    ),
    "nobody_to_write_to": "no letter to send: all have been told or have no address",
    "no_letter_held": "no letter is waiting that could be undone",
    "answer_link_over": (
        "it may have been replaced or be past its day; ask the office for a new one"
    ),
    "application_number_differs": (
        "this is not the applicant number that we wrote about; compare it with your "
        "confirmation of receipt"
    ),
    "answer_not_open": "this answer is not open any more; the page shows what is",
    "offer_until_before_april": (
        "by the resolution of the Council of Graduate Schools no applicant has to answer an offer "
        "of a funded place before 15 April; choose a later day, or confirm this one"
    ),
    "letters_have_left": (
        "{left} of {letters} letters have left, and what they say is final; the others follow"
    ),
    "wording_empty": "{place} is empty; write it, or leave this group out",
    "wording_too_long": "{place} has {length:,} characters of at most {most:,}",
    "wording_control_characters": "{place} contains invisible control characters; type it again",
    "wording_place_unknown": "{place} names {{{name}}}; use {{name}}, {{program}} or {{until}}",
    "cycle_not_finalized_yet": (
        "program {cycle!r} is {status}; `swapflow cycle finalize {cycle}` makes a list final first"
    ),
    "record_damaged": (
        "the record of {cycle!r} is damaged ({problem}); `swapflow cycle verify {cycle}` says more"
    ),
    "record_without_rules_version": "the record of {cycle} has no rules version {version}",
    "pin_without_direction": "say whether the applicant is to be in or out",
    "decision_reason_missing": "write why; it is kept in the record of the decision",
    "signatures_missing": (
        "the rules ask for {needed} signatures, {count} given ({signers}): name the others "
        "with --signed-by"
    ),
    "reopening_names_missing": (
        "reopening a cohort needs two different names and a reason: --by A --by B --reason …"
    ),
    "cycle_not_finalized": "program {cycle!r} is {status}, not finalized",
    "reconsiderations_open": (
        "open reconsiderations in {cycle!r}: {applicants}; conclude or withdraw them, "
        "then reopen the whole list"
    ),
    "cycle_finalized_version": (
        "program {cycle!r} is finalized (version {version}); `swapflow cycle reopen` "
        "starts another version"
    ),
    "cycle_not_ended": (
        "program {cycle!r} is {status}; `swapflow cycle stop {cycle}` ends it first"
    ),
    "not_a_candidate": "{applicant!r} is not an applicant of this program",
    "override_reason_missing": "deciding {applicant!r} otherwise needs a reason",
    "was_offered_a_place": (
        "{applicant!r} was offered a place, and an offer is not taken back by a change"
    ),
    "selected_outside_range": (
        "{selected} would be selected, and the rules want {fewest} to {most}"
    ),
    "selected_more_than_places": (
        "{selected} would be selected for {places} places: for everyone put in, leave "
        "another applicant out"
    ),
    "limits_broken": "the list breaks limits of the rules ({limits:; }): {cure}",
    "applicant_not_on_list": "this applicant is not on this list",
    "meeting_reopening_reason_missing": (
        "write why the meeting is reopened; it is kept in the minutes"
    ),
    "minutes_reason_missing": "write why; it is kept in the minutes",
    "outcome_not_chosen": "choose an outcome: in, waitlist or out",
    "zone_not_looked_at": "check the box that you have looked at this list, then confirm",
    "outcome_nobody_ticked": "no applicant was chosen; choose those whom this decides",
    "outcomes_one_by_one": (
        "the rules of this program want each applicant decided alone; record them one by one"
    ),
    "line_unknown": "there is no line of places called {line!r}, or it is not for this outcome",
    "zone_empty": "no applicant is left here to be confirmed",
    "meeting_closed": "the meeting was closed by {by}; reopen it, with a reason, to record more",
    "place_was_offered": "they were offered a place, and an offer is not taken back by a change",
    "endorsement_empty": "write what speaks for this applicant",
    "list_final": "the list is final",
    "meeting_recorded_otherwise": (
        "the meeting recorded otherwise: {applicants}. Mark the list as it was recorded, "
        "or record at the meeting what is meant now"
    ),
    "meeting_without_outcome": (
        "the meeting has no outcome yet (in, out or waitlist) for {applicants}; record it, "
        "then sign"
    ),
    "meeting_open": "the meeting is still open; close it, then sign",
    "no_meeting_open": "no meeting about this list is open; open it first",
    "meeting_not_possible": (
        "the program is {status}; a meeting decides once asking has ended, and until the "
        "list is final"
    ),
    "conflict_of_interest": (
        "you are in conflict with this applicant; another person records the outcome"
    ),
    "offer_until_past": "this day is past: choose a later last day for an answer",
    "answer_unknown": 'an applicant answers "accepted" or "declined"',
    "no_offer_made": "{applicant!r} was not offered a place",
    "offer_answered_already": "{applicant!r} has {answer} already",
    "offer_closed": (
        "the offer to {applicant!r} is closed ({answer}), and the place may be another "
        "applicant's by now"
    ),
    "risk_out_of_range": "a risk of {risk:g}: write a number from 0 to 0.5, e.g. 0.05",
    "offers_out_of_date": (
        "changed since this was shown: {changed:, }, so another applicant may be next. "
        "Nothing was offered; look at who is next now"
    ),
    "list_not_final_for_offers": (
        "the list of {cycle!r} is not final, so there is no place to offer: `swapflow "
        "cycle finalize {cycle}` comes first"
    ),
    "reconsideration_reason_missing": "a reconsideration needs a reason, and who asked for it",
    "kind_unknown": "the rules have no review {kind!r}; they have {kinds}",
    "recorded_meanwhile": (
        "others record at this moment, again and again; nothing was done; try again"
    ),
    "withdrawal_reason_missing": "write why it is taken back; it is kept in the record",
    "reconsideration_signatures_missing": (
        "a reconsideration is signed by {needed} people, {count} given: --by A --by B"
    ),
    "reconsideration_just_concluded": "this reconsideration was concluded a moment ago",
    "undoing_names_missing": (
        "undoing needs {needed} different names and a reason: --by A --by B --reason …"
    ),
    "no_reconsideration_changed_list": "no reconsideration of {applicant!r} has changed the list",
    "list_changed_since": (
        "the list has changed since; reopen it (`swapflow cycle reopen {cycle}`)"
    ),
    "letter_written_since": (
        "a letter to {applicant!r} was written since; take it back, if it has not left"
    ),
    "offered_since": (
        "{applicant!r} was offered a place since, and an offer is not taken back by a change"
    ),
    "fresh_reviews_out_of_range": "ask for 1 to {most} new reviews",
    "fresh_reviewers_missing": (
        "new reviews ({kind}) wanted: {reviews}, by {reviewers} who never had "
        "{applicant!r}; {available} are left; import more reviewers, or ask for fewer"
    ),
    "reconsideration_before_list": (
        "program {cycle!r} is {status}; while no list is final, ask for more reviews instead"
    ),
    "applicant_is": "applicant {applicant!r} is {status}",
    "reconsideration_open_already": "a reconsideration of {applicant!r} is open already",
    "applicant_on_list": "{applicant!r} is on the list; there is nothing to reconsider",
    "no_list_to_reopen": "the program is {status}, so there is no list to reopen",
    "reopening_reason_missing": "a reopening needs a reason",
    "undoing_reason_missing": "write why it is undone; it is kept in the record",
    "prepared_decision_changed": (
        "what you were about to sign was changed or withdrawn; look at it again"
    ),
    "list_changed_since_prepared": (
        "changed since this was prepared: {changed:, }. Its signatures are void; the list "
        "is not final; look at it again and prepare it again"
    ),
    "changed_since_shown": (
        "changed since this was shown: {changed:, }. Nothing was done; look at it again"
    ),
    "part_unknown": "what was shown",
    "part_what": "what waits for signatures",
    "part_version": "the version of the list",
    "part_rules": "the rules",
    "part_list": "who is on the list, or the order",
    "part_files": "whose file was opened",
    "part_missing": "which reviews are missing",
    "part_promised": "who keeps an offered place",
    "part_outcomes": "what is decided about applicants",
    "part_changes": "what is decided otherwise than proposed",
    "part_applicants": "the applicants",
    "part_reviewers": "the reviewers",
    "part_held": "which letters are waiting",
    "part_reconsideration": "which reconsideration is open",
    "part_reviews": "how many new reviews came in",
    "part_evidence": "the estimates",
    "part_waitlist": "the places on the waitlist",
    "part_places": "how many places are taken",
    "part_result": "what is proposed",
    "part_next": "who is next",
    "part_lapsed": "which offers were not answered in time",
    "part_letters": "the letters, or who gets one",
    "part_unreachable": "who has no address",
    "part_unoffered": "who is chosen and has no offer",
    "signed_already": "you have signed this; a second signatory must sign it too",
    "reopening_by_one_person": "a reopening is asked for by one person and agreed to by another",
    "prepared_decision_just_changed": (
        "what you were about to sign was changed a moment ago; look again"
    ),
    "meeting_changed_since_prepared": (
        "the meeting recorded something else since this was prepared; take it back and "
        "prepare it again"
    ),
    "fresh_reviews_waiting": (
        "{waiting} of {reviews} new reviews are not in yet; they come in first, or the "
        "reconsideration is withdrawn"
    ),
    "reconsideration_result_unknown": 'people decide "added", "waitlisted" or "stays"',
    "places_are_taken": (
        "{taken} of {places} places are taken, so {applicant!r} would be number {number}; "
        "say that this is meant (--beyond)"
    ),
    "deciding_otherwise_reason_missing": (
        "proposed is {proposed!r}; deciding otherwise needs a reason"
    ),
    "exception_reason_missing": "an exception needs a reason: {exceptions:; }",
    "waitlisted_already": (
        "{applicant!r} is number {rank} on the waitlist, and a reconsideration moves no one down"
    ),
    "no_reconsideration_open": "no reconsideration of {applicant!r} is open",
    "accepted_above_offered": (
        "{accepted} accepted of {offered}: the first lies between 0 and the second, which is "
        "at least 1"
    ),
    "rate_interval_invalid": (
        "{low:g} to {high:g} is no range of a rate: write two numbers between 0 and 1, "
        "the smaller one first, e.g. 0.6 and 0.8"
    ),
    "monitoring_nothing_decided": (
        "program {cycle}: nothing is decided yet, so there is no selection rate; record "
        "the decision first"
    ),
    "monitoring_table_missing": "the report has no table over {attributes: and }",
    "monitoring_nothing_declared": (
        "no applicant of {name} declared anything; import the applicants with columns named "
        "monitor:…, such as monitor:gender"
    ),
    "monitoring_attribute_unknown": (
        "{name!r} was declared by no applicant; there are {attributes}"
    ),
    "limit_stands": "{group}: {held} chosen, {wants} wanted",
    "limit_wants": "{parts: and }",
    "at_least": "at least {minimum}",
    "at_most": "at most {maximum}",
    "at_least_share": "at least {share:.0%} of the list",
    "at_most_share": "at most {share:.0%} of the list",
    "any_number": "any number",
    "limits_broken_cure": "choose others, or change the limits in the rules",
    "limits_given_way": "no list keeps to all of them; in the rules, {changes:; }",
    "below_floor": (
        "{count} applicants are below a floor; waive it with --waive REASON, or let the "
        "reviews come in:\n  {applicants:\n  }"
    ),
    "below_floor_more": (
        "{count} applicants are below a floor; waive it with --waive REASON, or let the "
        "reviews come in:\n  {applicants:\n  }\n  and {more} more"
    ),
    "close_below_floor": (
        "{count} applicant too close to call has {have} × {kind}: {promised} are promised",
        "{count} applicants too close to call have {have} × {kind}: {promised} are promised",
    ),
    "draw_read": "of {drawn} drawn, {stayed} stayed out",
    "draw_unread": (
        "of {drawn} drawn, {read} were read by a reviewer new to them and {stayed} stayed out"
    ),
    "draw_not_made": (
        "none of those clearly out was drawn and read once more by a reviewer new to them"
    ),
    "draw_of_nobody": "no applicant was clearly out, so none was drawn",
    "draw_incomplete": ("{what}: let the reviews come in, or sign with a reason (--waive REASON)"),
    "draw_reason_missing": (
        "say why it is accepted that those drawn from the clearly out were not all read"
    ),
    "out_above_cut": (
        (
            "{count} applicant is proposed out although the plain average of the marks is above "
            "the cut: {applicants:, }; ask for another review, or record a reason with "
            "--waive REASON"
        ),
        (
            "{count} applicants are proposed out although the plain average of their marks is "
            "above the cut: {applicants:, }; ask for another review, or record a reason with "
            "--waive REASON"
        ),
    ),
    "lacks_reviews": "{applicant}: lacks {kinds}",
    "lacks_of_kind": "{count} × {kind}",
    "something_waits": (
        "something else waits for signatures in this program; have it signed or take it back first"
    ),
    "reopening_reason_not_typed": "Say why it is to be reopened.",
    "places_must_stay_in": "The number of places must stay {places}: put in {moved} more.",
    "places_must_stay_out": "The number of places must stay {places}: leave out {moved} more.",
    "letter_list_open": "the list is open again",
    "letter_application_is": "the applicant is {status}",
    "letter_offer_closed": "the offer is closed",
    "letter_offered_since": "a place was offered since",
    "letter_list_differs": "the list says something else by now",
}
