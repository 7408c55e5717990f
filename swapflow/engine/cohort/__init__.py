"""People decide: the meeting, the final list, the signatures."""
