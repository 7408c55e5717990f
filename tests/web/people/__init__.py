"""Pages of applicants and reviewers."""
