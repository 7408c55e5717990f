"""Staff run a program: today, applicants, reviewers, imports, mails."""
