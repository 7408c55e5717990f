"""What lists of people say: statuses, and the values that spellings are taken for."""
