"""The record answers for itself: replay, finished cycle, decision card."""
