"""Long-running processes: supervisor, embedded Redis, coordinator loop."""
