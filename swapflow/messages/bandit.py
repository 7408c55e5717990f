"""What the selection rule refuses: places, limits and parameters that cannot be."""

TEXTS = {
    "terms_of_other_arms": "the terms are about {arms} arms, not {given}",
    "pairwise_needs_top_k": (
        "the pairwise certificate compares applicants one to one and is right for plain "
        "top-k only; use the mixture certificate with this objective"
    ),
    "cohort_without_places": "a cohort needs at least 1 place, not {size}",
    "limit_of_other_arms": "a limit says of {members} arms who belongs to it, not of {arms}",
    "quota_of_other_groups": (
        "a quota needs one minimum and one maximum for every group, not {minimums} and {maximums}"
    ),
    "minimum_above_maximum": (
        "{group}: the minimum {minimum} is above the maximum {maximum}; lower the minimum to "
        "{maximum}"
    ),
    "minimum_above_members": (
        "{group}: the minimum is {minimum} but only {members} take part; lower the minimum "
        "to {members}"
    ),
    "minimums_above_places": (
        "the minimums add up to {needed} but the cohort has {places} places; lower them by "
        "{surplus} in all, or select {needed}"
    ),
    "fewer_arms_than_places": (
        "the cohort has {places} places but only {arms} take part; select {arms}"
    ),
    "groups_not_from_zero": "groups are numbered from 0",
    "groups_of_other_arms": "the oracle knows the groups of {groups} arms, not of {arms}",
    "rho_or_arms_not_positive": "rho and arms must be positive, not {rho:g} and {arms}",
    "rho_or_pairs_not_positive": "rho and pairs must be positive, not {rho:g} and {pairs}",
    "sigma_not_positive": "sigma must be positive, not {sigma:g}",
    "delta_out_of_range": "delta must lie between 0 and 1, not {delta:g}",
    "targets_need_top_k": "targets and a range of places need the objective top-k, not diverse",
    "score_out_of_range": "a score of {score} lies outside 0 to 1 (0 to 100 on screen)",
    "no_list_keeps_limits": (
        "no list of {places} keeps to every limit. The smallest change that allows one: "
        "{changes:; }"
    ),
    "maximums_below_places": (
        "the maximums leave room for {room} of {places} places; select {room}"
    ),
    "maximums_below_places_raise": (
        "the maximums leave room for {room} of {places} places; raise the maximum of "
        "{groups: or } by {missing} in all, or select {room}"
    ),
    "raise_places": "raise the places from {before} to {after}, or pin fewer applicants in",
    "fill_places": "fill {filled} of the {places} places",
    "lower_minimum": "lower the minimum of {group} from {before} to {after}",
    "lower_minimum_share": (
        "lower the minimum of {group} from {before} to {after} (a share of {share:.1%})"
    ),
    "raise_maximum": "raise the maximum of {group} from {before} to {after}",
    "raise_maximum_share": (
        "raise the maximum of {group} from {before} to {after} (a share of {share:.1%})"
    ),
    "lower_smallest_share": "lower the smallest share of {group} from {before:.0%} to {after:.1%}",
    "raise_largest_share": "raise the largest share of {group} from {before:.0%} to {after:.1%}",
}
