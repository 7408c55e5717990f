"""Versions that rules name of how a program is run; a launched program keeps its own."""

FIRST_FIT = 1
"""Version of the model's fit in rules that were stored without one."""

LATEST_FIT = 3
"""Version of the model's fit in new rules; a program takes it when it is launched."""

FIRST_ASKING = 1
"""Who may be asked again, in rules that were stored without a version: nobody twice."""

LATEST_ASKING = 2
"""Version in new rules: only a conflict, "not my field" and a review that was given bar."""

FIRST_AVERAGES = 1
"""What a floor for those too close to call brings to whom a plain average puts above the cut, in
rules that were stored without a version: nothing."""

LATEST_AVERAGES = 2
"""Version in new rules: one review more than the floor, before a stop."""

LATEST_DRAW = 1
"""How those clearly out are drawn, in new rules: by a keyed hash of seed and applicant."""
