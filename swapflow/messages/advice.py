"""Advice from a table of marks: reasons of requests, and what cannot be advised on."""

TEXTS = {
    "advice_reason_floor": "has {given} of the {floor} that everyone gets ({kind})",
    "advice_reason_chance": "drawn for a {kind}, so that kinds of review can be compared",
    "advice_reason_unread": "not read yet",
    "advice_reason_close": (
        "likely among the top {places}: {tenths} in 10, from {count} mark",
        "likely among the top {places}: {tenths} in 10, from {count} marks",
    ),
    "advice_kind_name": (
        "{name!r} is no name of a kind of review: use small letters, digits and dashes, a letter "
        "first"
    ),
    "advice_kind_numbers": (
        "the kind of review {name!r} needs a cost of 1 or more, a gain above 0 and a floor of 0 "
        "or more"
    ),
    "advice_kinds": (
        "the kinds of review {kinds} do not fit: name at least one, each once, and require only "
        "those that there are"
    ),
    "advice_kind_unknown": "there is no kind of review {kind!r}; there are {kinds}",
    "advice_rule_unknown": "there is no rule {rule!r}; the rules are {rules}",
    "advice_objective": (
        "the objective {objective!r} cannot be used so: use top-k, or diverse with the attribute "
        "to spread over"
    ),
    "advice_places": "{places} places leave nothing to decide; name 1 or more",
    "advice_reviews_and_hours": "--reviews and --hours say the same thing; use one of them",
    "advice_kinds_and_rules": (
        "--kinds and --rules both say what may be asked for; use one of them"
    ),
    "advice_weight": "{text!r}: a weight is a number above 0, e.g. --weight research=2",
    "advice_kinds_unreadable": (
        "{text!r} says no kind of review: write a name and cost, gain, floor, most or requires, "
        'e.g. --kinds "review cost=20; interview cost=60 gain=6 most=1"'
    ),
    "advice_day": "{text!r} is no day; write it as 2027-01-19",
    "advice_marks_typed": (
        "{path} contains marks that were typed into it ({marks}); give it another name, or name "
        "another folder with --out"
    ),
    "advice_places_missing": "how many places there are is not said: add --places",
    "advice_no_marks": "{source} contains no mark",
    "advice_mark_outside": (
        "the mark {mark:g} of {applicant!r} lies outside the scale {scale}; correct it, or state "
        "the scale that was used"
    ),
    "advice_row_lacks": "row {row} lacks {names}; a row needs applicant and mark",
    "advice_not_saved": "{path} contains no saved advisor; save one again",
    "trial_off": (
        "spreadsheets cannot be tried here without signing in; ask an administrator, or use "
        "`swapflow advise` on your own machine"
    ),
    "trial_too_big": (
        "{name} is larger than {most} MB, and nothing of it was read; leave out sheets and "
        "columns without marks"
    ),
    "trial_too_long": (
        "reading this file takes longer than {seconds} seconds, so it was stopped and nothing is "
        "kept; leave out rows, or use `swapflow advise` on your own machine"
    ),
    "trial_too_much": (
        "reading this file takes more than {size} MB of memory, so it was stopped and nothing is "
        "kept; leave out rows, sheets and columns without marks"
    ),
    "trial_unreadable": (
        "this file was not read to its end, and nothing is kept; save it as CSV and try again"
    ),
    "trial_under_way": (
        "a spreadsheet from your network address is being read; wait for its answer, or try again "
        "in {seconds} seconds"
    ),
    "trial_busy": ("other spreadsheets are being read just now; try again in {seconds} seconds"),
    "trial_many": (
        "too many answers are kept just now, each for 15 minutes; try again in {seconds} seconds"
    ),
    "trial_over": (
        "there is no answer under this link: answers are kept for 15 minutes; read the file again"
    ),
    "trial_places": "write how many places there are, 1 or more",
    "trial_reviews": "write how many more reviews there may be, from 1 to {most}",
    "trial_columns": (
        "{text!r} does not say what a column is; write one a line, e.g. Total = mark"
    ),
}
