"""SWAP as pure functions over arrays: estimates, the next pulls, and when to stop."""
