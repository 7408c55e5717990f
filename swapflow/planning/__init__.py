"""Planning: the round to come, simulated under its rules, people and delays."""
