"""What simulations, plans and experiments refuse; they speak English alone."""

TEXTS = {
    "truth_missing": "the truth of {application!r} is not on file",
    "recorded_reviews_used_up": "{application} has {reviews} reviews on record, not {ordinal}",
    "scoring_service_malformed": (
        'the scoring service {url} should answer {{"scores": […]}}, a number from 0 to 1 for each '
        "question"
    ),
    "scoring_service_miscounts": "the scoring service {url} gave {scores} scores for {questions}",
    "automatic_reviewer_unknown": (
        "{specification!r} names no automatic reviewer: use truth:FILE, replay:FOLDER or https://…"
    ),
    "automatic_file_refused": (
        "a roster may not name {place!r}: put it into the folder that SWAPFLOW_AUTOMATIC_FOLDER "
        "names, or import the roster at the command line of the machine (`swapflow reviewers "
        "import`)"
    ),
    "automatic_path_with_marks": (
        "{path}: a roster cannot hold a path with ? or #; give the file or its folder another name"
    ),
    "automatic_file_not_noted": (
        "{path}: that a roster may name this file could not be noted ({problem}); check the "
        "owner of the folder and that the disk has room"
    ),
    "automatic_files_unreadable": (
        "{path}: the files that rosters may name cannot be read ({problem}); remove it, and "
        "import the rosters again at the command line"
    ),
    "path_missing": "{path} is missing",
    "truth_columns_missing": "{path} should have columns {name} and true_utility",
    "demo_stuck": "the demonstration has stopped moving; its log says why",
    "demo_without_review": "no review reaches the demo's reviewer; its log says why",
    "item_attribute_unknown": "no item has {attribute} = {value!r}; there are {values}",
    "recorded_folder_missing": (
        "there is no folder {folder}; it should hold items.csv and scores.csv"
    ),
    "recorded_column_missing": "{path} lacks the column {column!r}",
    "recorded_unreadable": (
        "{path}: cannot be read as CSV ({problem}). Save the file as UTF-8, with short cells"
    ),
    "recorded_not_a_number": "{path}, line {line}: {text!r} is not a number",
    "recorded_outside_scale": (
        "{path}, line {line}: the score {mark:g} lies outside the scale {scale}. Correct it, or "
        "state the worst and the best possible score, e.g. --scale 0..5 (or 5..1 where 1 is best)"
    ),
    "recorded_interview_outside": (
        "{path}, line {line}: the interview's score01 is {mark:g}; write scores from 0 to 1"
    ),
    "cycle_stuck": (
        "program {cycle!r} has not moved for {seconds:.0f} seconds: is `swapflow up` "
        "running, with a coordinator and a worker?"
    ),
    "recorded_twice": "reviewer {reviewer!r} judged {item!r} twice in this recording",
    "marks_above_budget": "{marks} marks ({kind}) cost more than what is left of the budget",
    "no_further_mark": "an applicant can be given no further mark ({kind})",
    "matplotlib_missing": (
        "studies draw with matplotlib, which is not installed: pip install 'swapflow[studies]'"
    ),
    "kernel_parameters_invalid": (
        "sigma must be positive and delta between 0 and 1, not {sigma:g} and {delta:g}"
    ),
    "kernel_pairwise_needs_top_k": "the pairwise certificate is right for plain top-k only",
    "kernel_need_unsupported": (
        "reviews and interviews are chosen by need under a mixture or pairwise radius, "
        "for plain top-k and a strong pull that costs no less than a weak one"
    ),
    "kernel_symdiff_unsupported": "the policy symdiff is known for the paper's radius only",
    "kernel_truths_of_other_runs": "{rows} rows of truth do not fit {runs} runs",
    "kernel_size_impossible": "{size} of {arms} cannot be chosen",
    "kernel_groups_of_other_arms": "there are groups of {groups} applicants, not of {arms}",
    "study_unknown": "there is no study {study!r}; there are {studies}",
    "finding_unreadable": "{path} is no record of a study: {problem}",
    "known_round_without_attribute": "no applicant in this round has {attribute!r}",
    "minutes_kind_unknown": (
        "--minutes {kind}={value:g}: there is no {kind!r} in these files; there are {kinds}"
    ),
    "levels_not_ascending": (
        "a score form needs two or more different marks in ascending order, not {levels}"
    ),
    "sweep_processes_died": (
        "the sweep's processes died {deaths} times in a row, most likely for want of memory: "
        "try fewer --processes"
    ),
    "sweep_without_worker": (
        "no worker has computed anything for {seconds:.0f} seconds: start one with `celery "
        "-A workers.app worker -Q study`, where {folder} can be reached"
    ),
    "sweep_chunk_missing": "no chunk {path} is specified, as seen from this worker",
    "sweep_work_elsewhere": "{work} does not lie in {home}",
    "sweep_rows_miscounted": "{work} gave {rows} rows of {name!r} for {runs} runs",
    "sweep_function_missing": "{module} has no function {function!r}; work names a function",
    "sweep_folder_in_use": (
        "another sweep is at work in {folder}; wait for it or give another --out"
    ),
    "tier_cuts_unsuitable": (
        "the cuts {cuts} do not suit {applicants} applicants, {kinds} kinds of review and "
        "{places} places: give one cut for each kind of review, each smaller than the one "
        "before, the last one {places}"
    ),
    "tiers_need_top_k": "tiers cut by the best utilities: the objective must be top-k",
    "plan_impossible": "{source}: {problems:\n  }",
}
