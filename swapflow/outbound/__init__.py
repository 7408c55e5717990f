"""Messages to reviewers and staff."""
