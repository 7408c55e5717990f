"""What pages refuse by themselves."""

TEXTS = {
    "plan_refused": "{source}: {problem}",
    "sign_in_needed": "please sign in to go on",
    "no_reviewer_role": "you have no reviewer role there",
    "action_not_chosen": "choose what is to happen: press one of the buttons",
    "kind_not_chosen": "choose one of the kinds of review",
    "erasing_applicant_name_differs": "type {name} to erase this applicant; nothing was erased",
    "forgetting_round_name_differs": "type {name} to forget its erasures; nothing was forgotten",
    "applicant_was_erased": "this applicant was erased; nothing can be changed any more",
    "swap_target_not_chosen": "choose another applicant or a reviewer",
    "not_in_choices": "choose one of the list",
    "calendar_file_missing": "choose a file: CSV or XLSX",
    "calendar_column_missing": (
        "the table has no column {column!r}; it needs applicant, starts, and may have "
        "minutes, place and link"
    ),
    "interview_time_unreadable": "give day and time, e.g. 2027-01-31 14:00",
    "interview_time_skipped": "the clocks skip this hour; choose another",
    "interview_length_unreadable": "give the length in minutes, e.g. 45",
    "estimates_not_chosen": "say whether the list is to be made by raw or adjusted estimates",
    "applicant_unknown": "this applicant is not in this program",
    "card_format_unknown": "a decision card comes as html, pdf or json, not as {form}",
    "chart_unknown": "this chart does not exist",
    "list_not_decidable": "the program is {status}; a list can be decided once asking has ended",
    "not_a_candidate_typed": "{name!r} is no applicant who can be on the list",
    "list_version_unknown": "there is no version {version} of this list",
    "document_files_missing": "choose at least one file, or a ZIP with files in it",
    "download_unknown": "there is no file {name!r} for you here",
    "download_name_unknown": "there is no file {stem}.{suffix} here",
    "download_not_decided": "nothing is decided yet; the proposed list is in proposed.csv",
    "import_rows_to_cure": "Nothing was imported: the rows below must be corrected first.",
    "packet_unreadable": "write how many reviews you want to have at the same time",
    "absence_days_missing": "give the first and the last day that you are away",
    "language_not_listed": "choose one of the languages that are listed",
    "no_mail_failed": "every mail has left or is on its way: none failed and none was not sent",
    "mail_did_not_fail": "only a mail that failed or was not sent is sent again",
    "not_launched_no_list": "the program is not launched yet, so there is no list",
    "minutes_format_unknown": "the minutes are to be had as html, pdf or json, not as {form!r}",
    "monitoring_format_unknown": "the sums come as csv, xlsx or json",
    "monitoring_not_for_deciders": (
        "people who decide or sign in a program do not see its groups of applicants, "
        "before or after; people with the compliance role alone can"
    ),
    "file_not_chosen": "choose a file first",
    "upload_file_empty": "{name}: the file is empty",
    "text_too_long": "this has {length:,} characters, and {most:,} are the most; shorten it",
    "form_name_too_deep": (
        "{name}…: this form has no field of this name; a name has at most {most} parts. "
        "Open the page anew"
    ),
    "form_too_many_rows": "{rows} rows are too many; {most} are the most",
    "rate_from_last_round": "{accepted} of {offered} accepted",
    "rate_from_interval": "between {low:g} and {high:g}",
    "provider_state_lost": (
        "this sign-in was not begun in this browser, or more than {minutes} minutes ago; "
        "nothing has happened, so simply begin again"
    ),
    "provider_state_used": "this sign-in was used already; begin again",
    "provider_away": (
        "your organisation's sign-in does not answer just now; try again in a few minutes, "
        "or come in another way"
    ),
    "provider_denied": (
        "your organisation did not let you on, or you did not agree to be named to swapflow; "
        "try again, or come in another way"
    ),
    "provider_answered_error": (
        "your organisation's sign-in answered {error!r}; tell an administrator, and "
        "meanwhile come in another way"
    ),
    "provider_not_trusted": (
        "what your organisation's sign-in answered cannot be trusted, so no one was "
        "signed in; tell an administrator, and meanwhile come in another way"
    ),
    "provider_not_connected": "no identity provider is connected here; sign in another way",
    "applicant_id_unknown": "there is no applicant with this id",
    "asked_by_missing": "write who asked for it",
    "result_not_chosen": "choose what becomes of it",
    "asked_on_unreadable": "write the day like 2027-05-04",
    "fresh_reviews_unreadable": "write how many new reviews are asked for, e.g. 2",
    "review_not_chosen": "choose one of this reviewer's reviews",
    "erasing_reviewer_name_differs": "type {name} to erase this reviewer; nothing was erased",
    "reviewer_action_unknown": "this act does not exist",
    "nothing_to_take_back": "there is nothing to withdraw: all of it was begun or answered",
    "absence_day_unreadable": "give a day, such as 2027-01-31",
    "absence_days_reversed": "the last day comes after the first",
    "reviewer_unknown": "this reviewer is not in this program",
    "kind_not_in_rules": "the rules have no review {kind!r}",
    "rules_file_too_long": (
        "{name}: this is too long for a rules file; {most} kB are the most. Check that it is the "
        "one meant"
    ),
    "rules_file_not_utf8": "{name}: this is no UTF-8 text; save it as UTF-8",
    "waiting_review_of_another_account": (
        "this review waits for another account; sign in as the person who wrote it"
    ),
    "draft_malformed": "a draft is {{version, body}} as JSON",
    "draft_body_malformed": "a draft's body has texts by name",
    "note_control_character": "there is a control character in the note",
    "task_of_another_program": "this review is of another program",
    "time_zone_unknown": "there is no time zone {name!r}; write e.g. UTC",
    "sheet_format_not_offered": "a sheet is xlsx or csv",
    "reason_too_long": "this has {length:,} characters; {most:,} are the most",
    "reason_control_character": "there is a control character in this; write it by hand",
    "requests_not_chosen": "choose at least one review that still waits",
    "approval_not_chosen": "choose whether to approve or to decline",
    "user_account_unknown": "this account is not known",
    "own_account_closed_by_others": "another administrator must close your account",
    "role_not_chosen": "choose a role",
    "role_scope_not_chosen": "choose where the role reaches",
    "whole_number_from_zero": "write a whole number from 0 to {most:,}",
    "whole_number_between": "write a whole number from {least} to {most:,}",
    "cycle_id_reserved": "{cycle!r} is an address of its own here; choose another id",
    "text_control_characters": (
        "this contains invisible control characters; type it instead of pasting it"
    ),
}
