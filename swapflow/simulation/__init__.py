"""Rounds with known answers, on the real engine: demo, replay, and what they draw from."""
