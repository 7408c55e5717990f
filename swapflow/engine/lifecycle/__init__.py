"""What staff do to a cycle: launch, pause, stop, change rules, approve, pin."""
