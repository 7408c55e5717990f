"""What a table says about applicants, reviewers and scores: all of it or nothing."""
