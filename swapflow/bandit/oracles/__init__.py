"""The best K under one objective, with limits."""
