"""A request and what came back."""
