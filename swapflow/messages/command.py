"""What the command refuses by itself; it speaks English alone."""

TEXTS = {
    "nothing_to_correct": "say what to correct: --name, --email or --field NAME=VALUE",
    "erasing_applicant_unconfirmed": (
        "this erases {applicant!r} for good and cannot be undone; say so with --yes"
    ),
    "applicant_in_other_state": (
        "{applicant!r} is {status}; only an applicant who is {allowed: or } can be {done}"
    ),
    "probe_without_mail": "--to belongs to `swapflow doctor mail`, which sends a test mail",
    "requests_or_all": "name the reviews to approve, or give --all (not both)",
    "bundle_key_malformed": (
        "--key {key!r} is no key: it has {digits} hexadecimal digits, as `swapflow cycle "
        "bundle` prints them"
    ),
    "practice_file_not_text": "{file}: this is not plain text; save it as UTF-8 text first",
    "file_unreadable": "{file}: cannot be read ({problem})",
    "estimates_reason_without_choice": "--reason says why --use raw|adjusted|rule; give both",
    "estimates_reason_missing_option": "why is the list to be made otherwise? --reason TEXT",
    "file_name_ending": "{file}: the name must end in {formats}",
    "template_or_rules": (
        "give --template admissions|hiring|fellowship, or --rules FILE (not both)"
    ),
    "rules_reason_missing_option": "why are the rules changed? --reason TEXT",
    "output_file_unwritable": (
        "{file}: cannot be written ({problem}); choose another place with --out"
    ),
    "put_in_and_left_out": "{applicant!r} cannot be put in and left out at once",
    "waiver_reason_missing_option": "a waiver needs a reason: --waive REASON",
    "output_folder_unwritable": (
        "{folder}: cannot be written ({problem}); choose another with --out"
    ),
    "output_unwritable": "{file}: cannot be written ({problem})",
    "by_without_for": "--by is for staff, with --for REVIEWER: name both",
    "reviewer_option_missing": "say who you are: --reviewer ID (or $SWAPFLOW_REVIEWER)",
    "reviewer_has_no_task": (
        "reviewer {reviewer!r} has no review {task!r}; `swapflow inbox list {cycle} "
        "--reviewer {reviewer}` lists them"
    ),
    "until_without_busy": "--until belongs to --kind busy",
    "severity_not_by_command": (
        "--by {by!r} is no account with the role calibration here: "
        "`swapflow user grant ADDRESS calibration` gives it"
    ),
    "busy_without_until": "busy until when? --until YYYY-MM-DD",
    "until_option_not_a_date": "--until {text!r} is no date; write YYYY-MM-DD",
    "wording_file_missing": (
        "{file} is missing; `swapflow letters words CYCLE > {file}` begins one"
    ),
    "wording_file_unreadable": "{file} cannot be read: {problem}",
    "wording_group_unknown": "{file}: [{group}] is no group; use {groups}",
    "wording_group_settings": "{file}: [{group}] needs `subject` and `text`, nothing else",
    "wording_group_not_texts": "{file}: `subject` and `text` of [{group}] are texts in quotes",
    "wording_file_empty": "{file} writes to no group; it needs one of {groups}",
    "score_option_unreadable": "--score {text!r} cannot be read; write 0.7 or 70/100",
    "score_option_out_of_range": (
        "--score {text!r} lies outside 0 to {most}; write a number from 0 to 1, such as "
        "0.7, or points out of a hundred such as 70/100"
    ),
    "mark_given_twice": "--mark for {criterion!r} is given twice",
    "marks_missing": 'no mark for {missing!r}; give each one, or say N/A: --mark "{first}=N/A"',
    "kind_without_criteria": "this review has no criteria; give the score itself: --score 0.7",
    "mark_not_a_number": "{text!r}: {mark!r} is no number",
    "applicant_not_in_cycle": "program {cycle!r} has no applicant {applicant!r}",
    "acceptance_rate_option": (
        "give either --accepted N --of N (last year), or --between LOW HIGH, e.g. 0.6 0.8"
    ),
    "until_not_a_date": "--until {text!r} is no date; write year-month-day, e.g. 2027-04-15",
    "database_missing": (
        "there is no database {file} yet: `swapflow up` or `swapflow db upgrade` makes it; "
        "if yours lies elsewhere, set SWAPFLOW_DATA_DIR or SWAPFLOW_DATABASE_URL"
    ),
    "option_unreadable": "{option} {text!r} cannot be read; write {option} {form!r}",
    "folder_not_made_choose_other": (
        "{folder}: cannot be made ({problem}); choose another with --out"
    ),
    "personal_data_file_ending": "{file}: the name must end in .html, .pdf or .json",
    "interviewers_with_roster": (
        "--interviewers counts invented reviewers; the roster in {roster} says itself who "
        "takes what"
    ),
    "spread_out_of_range": (
        "{option} {value:g} is no spread on a scale of 100: write e.g. 16 (at most 50)"
    ),
    "past_estimates_unreadable": "{path}: this is not what `swapflow study past --json` prints",
    "days_option_unreadable": (
        "--days {text!r} cannot be read: write KIND=N with one of the rules ({kinds}) and "
        "a number of days above 0"
    ),
    "start_not_a_date": "--start {text!r} is no date: write year-month-day, e.g. 2026-01-31",
    "asked_on_not_a_date": "--asked-on {text!r} is no date; write it like 2027-05-04",
    "erasing_reviewer_unconfirmed": (
        "this erases reviewer {reviewer!r} for good and cannot be undone; say so with --yes"
    ),
    "pairs_file_or_names": "give a FILE of pairs, or both --applicant and --reviewer",
    "worker_pool_unknown": "there is no pool {pool!r}; choose threads or prefork",
    "scores_or_reviewer": "name scores, or give --cycle and --reviewer together",
    "reviewer_option_without_sheet": "{source}: --reviewer is for a sheet that came back",
    "sheet_format_option": "--format {form!r}: a sheet is xlsx or csv",
    "in_process_and_running": "--in-process and --running exclude each other",
    "folder_not_empty": "{folder} contains something else; name an empty folder or remove it",
    "folder_not_made": "{folder}: cannot be made ({problem})",
    "demo_decides_nothing": "{places} places for {applicants} applicants leave nothing to decide",
    "demo_delta_out_of_range": "--delta {delta} lies outside 0 to 1 (both excluded)",
    "demo_budget_below_floor": (
        "a budget of {budget:g} reviews for each applicant cannot pay the {floor} that "
        "everyone gets"
    ),
    "studies_extra_missing": (
        "studies draw figures and need the extra of that name: python -m pip install "
        "'swapflow[studies]'"
    ),
    "minutes_option_unreadable": (
        "--minutes {text!r}: {value!r} is no time; write --minutes KIND=N"
    ),
    "restore_unconfirmed": "this replaces the database of now by an older one; say so with --yes",
    "cycle_or_all": "name a program, or give --all (not both)",
    "round_or_cycle": "give one of --round, --unit and --cycle",
    "unit_or_none": "name the unit to move to, or give --none",
    "round_not_listed": "there is no round {round!r}; see `swapflow round list`",
    "passwords_differ": "the two passwords differ; nothing was stored",
    "answer_missing": "give {how}",
    "answer_given_twice": "give {how} (not both)",
}
