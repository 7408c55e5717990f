"""SWAP as pure functions over arrays: what to believe, whom to ask next, when to stop."""
