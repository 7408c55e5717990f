"""Sentences of the method sheet, minutes and decision cards."""

TEXTS = {
    "method_program": "Program `{cycle}`, rules version {version}.",
    "method_objective": "The list is chosen for {objective}.",
    "method_limit": "Limit on a group: {limit}.",
    "method_limit_given_way": "No list keeps to every limit; in the rules, {change}.",
    "method_scores": "Scores that count: {scores}.",
    "method_spent_and_committed": (
        "Spent: {spent} of {budget} {unit}; {committed} more were set aside for open requests."
    ),
    "method_spent": "Spent: {spent} of {budget} {unit}.",
    "method_stop": "Why no more was asked for: {reason}",
    "method_certified_loss": (
        "Most the list could still gain by further reviews: {loss}, under the stated "
        "assumptions (independent marks, a stated spread, comparable reviewers)."
    ),
    "method_expected_loss": (
        "By the model's estimate the list falls short by {loss}. It is an estimate without a "
        "promise and tends to be too low."
    ),
    "method_points": "{points:.1f} points in all (one applicant's full score is 100)",
    "sentences": "{sentences: }",
    "assumptions": (
        "Under the stated assumptions (independent marks, spread {sigma}, comparable "
        "reviewers) the proposed list's score is within {loss:.3f} of the highest "
        "obtainable, with probability {confidence:.2f}. This is about marks, not merit."
    ),
    "sigma_estimated": "{sigma:.3f}, estimated from this round",
    "sigma_stated": "{sigma:.3f}",
    "heuristic_stop": "For this objective the stop is a heuristic and proves nothing.",
    "about_raw_marks": "It is about marks as they were given; the list is by adjusted estimates.",
    "method_applicants": (
        "Applicants: {applicants}, for {count} place.",
        "Applicants: {applicants}, for {count} places.",
    ),
}
