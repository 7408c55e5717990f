"""What the JSON API refuses by itself."""

TEXTS = {
    "api_body_unreadable": "the body cannot be read as JSON: {problem}",
    "key_header_malformed": "write the key as `Authorization: Bearer sf_…`",
    "key_scope_missing": "this needs a key with the scope {scope!r}; make another key",
    "applicant_number_unknown": "this program has no applicant with the number {number}",
    "field_is_protected": (
        "{applicant}: {name!r} is a protected trait or a proxy for one ({trait}); put it "
        "under monitoring, where those who decide do not see it"
    ),
    "budget_or_deadline_missing": "budget: give another budget, another deadline, or both",
    "deadline_passed": "deadline: this moment has passed",
    "cursor_of_record_unknown": (
        "cursor: the record has no place of this number; begin without one"
    ),
    "swap_target_missing": "applicant: name another applicant, a reviewer, or both",
    "nothing_waits_for_signatures": "nothing waits for signatures",
    "final_list_version_unknown": "this program has no final list of version {version}",
    "key_cannot_sign": "a key cannot sign; sign in as a person",
    "bundle_names_forbidden": (
        "names: a bundle with names is for those who see applicants and reviewers; leave it "
        "out for one with numbers"
    ),
    "idempotency_key_malformed": "{header}: 1 to {most} plain characters",
    "idempotency_key_reused": "{header}: this key came with another call before",
    "request_in_progress": "the same call is being carried out; ask again in a moment",
    "upload_empty": "file: {name} is empty",
    "interview_request_unknown": "there is no review {request!r} in this program",
    "wording_missing": "give the words for at least one group",
    "cursor_not_of_list": "cursor: this list did not give this cursor",
    "mail_unknown": "this program has no mail {mail!r}",
    "program_has_no_applicant": "there is no applicant {number} in this program",
    "acceptance_rate_fields": "give either `accepted` and `of`, or `low` and `high`",
    "scope_unknown": "scope_id: there is no {scope} {name!r}",
    "own_account_not_closed": "you cannot close your own account",
    "user_unknown": "this user is not known",
    "cursor_unknown": "cursor: this list did not give this cursor; begin without one",
    "absence_ends_before_start": "last: {last} is before {first}",
    "reviewer_number_unknown": "this program has no reviewer with the number {number}",
    "score_pair_unknown": (
        "scores: {applicant!r}, {reviewer!r}, {kind!r}: this program does not have this "
        "applicant, reviewer or kind of review; nothing was kept"
    ),
    "score_unknown": "this program has no score {score!r}",
    "absence_unknown": "first: this reviewer is not away from {first}",
    "reviewer_task_unknown": "this reviewer does not have this review",
    "nothing_handed_in": "nothing was submitted for this review yet",
    "busy_until_missing": "until: with busy, give a day from today on",
    "score_field_missing": "score: this review has no score form; give a score, 0 to 100",
    "marks_field_missing": "score: this review has a score form; give marks",
    "mark_missing": "marks: {criterion!r} is left out; give a mark, or null for N/A",
    "confidence_not_asked": "confidence: this review does not ask for it",
    "recommendation_not_asked": "recommendation: this review does not ask for it",
    "question_unknown": "questions: there is no question {number}",
    "criterion_note_unknown": "criterion_notes: there is no criterion {criterion!r}",
    "call_unknown": "this call is not known",
    "webhook_not_yours": "this webhook is not among yours",
}
