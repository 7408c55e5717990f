"""What the rule sees and chooses: who is asked about next, by whom, or stop."""
