"""A request and its answer."""
