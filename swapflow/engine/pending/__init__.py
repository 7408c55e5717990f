"""What waits for people: one list of a cycle, from which pages, mails and the API take theirs."""
