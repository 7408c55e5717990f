"""The words of every mail to reviewers and staff, and when one is due."""
