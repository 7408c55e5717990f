"""Files in and out: applicants, reviewers, scores, rules, cohorts."""
