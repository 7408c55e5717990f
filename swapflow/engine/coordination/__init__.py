"""The coordinator: events in, decisions out, one turn at a time."""
