"""Sentences of the method sheet, minutes and decision cards."""

TEXTS = {
    "method_practice": (
        "**PRACTICE: this program was for training. Its applicants are invented; no person was "
        "decided on.**"
    ),
    "method_program": "Program `{cycle}`, rules version {version}.",
    "method_objective": "The list is chosen for {objective}.",
    "method_limit": "Limit on a group: {limit}.",
    "method_limit_given_way": "No list keeps to every limit; in the rules, {change}.",
    "method_scores": "Scores that count: {scores}.",
    "method_spent_and_committed": (
        "Spent: {spent} of {budget} {unit}; {committed} more were kept for open reviews."
    ),
    "method_spent": "Spent: {spent} of {budget} {unit}.",
    "method_drawn": "Drawn check of those clearly out: {drawn}.",
    "method_stop": "Why no more was asked for: {reason}",
    "method_certified_loss": (
        "Most the list could still gain by further reviews: {loss}, under the stated "
        "assumptions (independent marks, a stated spread, comparable reviewers)."
    ),
    "list_quality": (
        (
            "By the model, this list is about {loss:.1f} of 100 points a place short of "
            "the best possible (90 % range {low:.1f} to {high:.1f}); about {belong:.0f} "
            "of its {count} place would stay if every applicant were reviewed without end."
        ),
        (
            "By the model, this list is about {loss:.1f} of 100 points a place short of "
            "the best possible (90 % range {low:.1f} to {high:.1f}); about {belong:.0f} "
            "of its {count} places would stay if every applicant were reviewed without "
            "end."
        ),
    ),
    "list_belongs": (
        (
            "By the model, about {belong:.0f} of this list's {count} place would stay if "
            "every applicant were reviewed without end."
        ),
        (
            "By the model, about {belong:.0f} of this list's {count} places would stay if "
            "every applicant were reviewed without end."
        ),
    ),
    "way_mean": ("{count} review: {mean:.0f}.", "{count} reviews, average {mean:.0f}."),
    "way_severity_up": "These reviewers mark low: {points:.0f} points are added.",
    "way_severity_down": "These reviewers mark high: {points:.0f} points are taken away.",
    "way_model_up": (
        "The model adds {points:.0f} points, for few reviews and for differences between "
        "reviewers."
    ),
    "way_model_down": (
        "The model takes {points:.0f} points away, for few reviews and for differences between "
        "reviewers."
    ),
    "way_kind_up": "This review is marked low: {points:.0f} points are added.",
    "way_kind_down": "This review is marked high: {points:.0f} points are taken away.",
    "way_few": (
        (
            "With only {count} review the estimate stays near the program's average: "
            "{estimate:.0f} ± {margin:.0f}. More reviews could move it up or down."
        ),
        (
            "With only {count} reviews the estimate stays near the program's average: "
            "{estimate:.0f} ± {margin:.0f}. More reviews could move it up or down."
        ),
    ),
    "way_estimate": "The estimate is {estimate:.0f} ± {margin:.0f}.",
    "likely_among": "likely among the top {places}: {tenths} in 10",
    "hardly_among": "likely among the top {places}: less than 1 in 10",
    "surely_among": "likely among the top {places}: more than 9 in 10",
    "list_could_gain": (
        "Further reviews could gain at most {points:.1f} of 100 points a place, under the stated "
        "assumptions."
    ),
    "list_quality_limits": (
        "The model knows the marks alone: not whether they measure the right thing, nor whether "
        "a panel would agree with them."
    ),
    "method_model_promise": (
        "This is an estimate without a promise. The most that the list could still gain, above, "
        "is a promise about the worst case, and far larger while reviews are few."
    ),
    "method_points": "{points:.1f} of 100 points a place",
    "sentences": "{sentences: }",
    "assumptions": (
        "Under the stated assumptions (independent marks, spread {sigma}, comparable "
        "reviewers) the proposed list's score is within {loss:.3f} of the highest "
        "obtainable, with probability {confidence:.2f}. This is about marks, not merit."
    ),
    "sigma_estimated": "{sigma:.3f}, estimated from this program",
    "sigma_stated": "{sigma:.3f}",
    "heuristic_stop": "For this objective the stop is a heuristic and proves nothing.",
    "about_raw_marks": "It is about marks as they were given; the list is by adjusted estimates.",
    "method_applicants": (
        "Applicants: {applicants}, for {count} place.",
        "Applicants: {applicants}, for {count} places.",
    ),
}
