"""Tasks, scores, rubrics, documents and interviews."""

TEXTS = {
    "closed_to_reviewer": (
        "you review in this program. Until asking ends you see in your other role only applicants "
        "whose review you have handed in or cannot be asked for, and this shows others as well. "
        "Ask a colleague who does not review here"
    ),
    "applicant_closed_to_reviewer": (
        "you review in this program and may be asked about this applicant, so you see nothing of "
        "them until asking ends. You can open them with a reason; then you are never asked about "
        "them"
    ),
    "applicant_unnamed_to_reviewer": (
        "you review in this program, which is blind, so you know this applicant by a number until "
        "asking ends. You can open them with a reason; then you are never asked about them"
    ),
    "asking_has_ended": (
        "no more reviews are asked for in this program, so its reviewers see every applicant"
    ),
    "not_a_reviewer_here": "you do not review in this program, so no applicant is closed to you",
    "conflict_not_on_record": "{reviewer!r} is in no conflict with {applicant!r} on record",
    "conflict_of_one_address": (
        "the reviewer has the mail address of {applicant!r}, which is a conflict by itself; "
        "correct the address first"
    ),
    "no_voided_review": (
        "no review of {applicant!r} by {reviewer!r} was voided, or another one counts; there is "
        "nothing to lift"
    ),
    "program_asks_nobody_twice": (
        "this program was launched when no reviewer was asked twice about an applicant, "
        "and goes on so"
    ),
    "conflict_stays": (
        "the reviewer is in conflict with this applicant; remove the conflict first, if it is none"
    ),
    "opened_stays": (
        "the reviewer has opened this applicant in another role; what was read stays known"
    ),
    "request_is_open": "the reviewer has an open review of this applicant",
    "reviewer_reads_as_staff": (
        "{reviewer} has another role in this program and may have read meanwhile what others "
        "said, so they are not asked again"
    ),
    "tasks_unreadable": (
        "the reviews of program {cycle} cannot be shown at the moment; nothing is lost. "
        "Tell the office that invited you"
    ),
    "criterion_unknown": (
        "the score form of {kind!r} has no criterion {criterion!r}; it has {criteria}"
    ),
    "every_criterion_not_applicable": (
        "no criterion of {kind!r} is marked; give a mark for at least one, or decline"
    ),
    "mark_not_in_scale": (
        "{criterion!r}: {mark:g} is none of the marks {choices}; choose one of them, or N/A"
    ),
    "task_not_yours": "this review is not among yours",
    "score_not_volunteered": (
        "{assignment}: only a volunteered score that does not count can be admitted, or one that "
        "was kept when its applicant was withdrawn"
    ),
    "score_not_voided": "{assignment}: this score was not voided",
    "seat_taken": (
        "{assignment}: another reviewer is asked in its place, so it cannot count again; "
        "withdraw that review first"
    ),
    "one_score_per_reviewer": (
        "{assignment}: its reviewer was asked about the same applicant, and only one "
        "score of a reviewer counts; void the other one first"
    ),
    "assignment_without_score": "review {assignment!r} has no score",
    "document_not_found": "this document does not exist",
    "no_interview_date_yet": "there is no date yet",
    "draft_too_long": "this is more text than a draft can keep; shorten it",
    "answers_of_several_cycles": "answers of {cycles} programs in one submit; send one each",
    "kind_without_rubric": (
        "{assignment}: this review has no score form, so give the score itself (0 to 1)"
    ),
    "assignment_not_found": "there is no review {assignment!r}",
    "automatic_scores_refused": (
        "{assignment}: automatic scores are refused in a real program unless its rules "
        "carry an [automatic] table with purpose, approver and date"
    ),
    "interview_request_closed": (
        "no date was set: one of these interviews was cancelled; reload to see which"
    ),
    "interviewer_booked": (
        "no date was set: {who} has another interview on {when:%a %-d %b %Y, %H:%M} "
        "({minutes} min). Free for the whole panel: {free:; }"
    ),
    "free_hour": "{at:%a %-d %b %Y, %H:%M}",
    "no_free_hour": "no hour in the next twelve weeks",
    "no_date_ticked": "no date was set: choose at least one interview",
    "notice_out_of_range": "notice is 0 to {most} working days",
    "interview_without_interviewer": "no interviewer yet",
    "interview_panel_never_free": (
        "{who} are never free at the same time until {last:%a %-d %b %Y}"
    ),
    "interviewer_never_free": "{who} has no free hour until {last:%a %-d %b %Y}",
    "interview_no_hour_left": (
        "until {last:%a %-d %b %Y} other interviews take every hour at which {who} could come"
    ),
    "no_interview_date": "this interview has no date",
    "interview_length_out_of_range": "a meeting takes 1 to {most} minutes",
    "interview_without_time_zone": "a date needs a time zone",
    "line_too_long": "{what} is one line of at most {most} characters",
    "link_not_https": "a link begins with https://",
    "rubric_cannot_read_scores": (
        "the score form of {kind!r} cannot read a score that was given under the old one: "
        "{problem}. Keep the old marks and criteria, or void these scores"
    ),
    "assignment_closed": "review {assignment} is {status}",
    "assignment_answered": (
        "review {assignment} is answered already; use a correction to change the score"
    ),
    "changed_since_form": (
        "this was changed after the form was opened. Nothing was overwritten, and what you typed "
        "is kept. Stored is now: {stored:; }"
    ),
    "stored_field": "{name}: {value}",
    "stored_nothing": "nothing",
    "practice_title_length": "a practice file needs a title of at most {most} characters",
    "practice_text_length": (
        "a practice file needs a text of at most {most} characters; paste or upload it"
    ),
    "practice_too_many_files": "a program has at most {most} practice files",
    "practice_note_length": "write a note of 1 to {most} characters",
    "practice_mark_missing": "the practice file was not marked: write a number from 0 to 100",
    "practice_criterion_missing": (
        "the practice file was not marked: choose a mark for {criterion!r}, or Can't judge"
    ),
    "practice_marked_before": (
        "this practice file is marked already. A mark stays as it was given, because its reviewer "
        "has seen the others' marks since; write a note instead"
    ),
    "practice_mark_first": "mark the practice file first; then you see the others and can write",
    "practice_after_launch": (
        "the program is launched: practice files and their marks stay as they are"
    ),
    "practice_file_unknown": "this program has no practice file {file}",
    "draft_changed_elsewhere": "this draft was changed in another tab or on another device",
}
