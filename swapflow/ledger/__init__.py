"""The durable record: every event, pull, assignment and score, in SQL."""
