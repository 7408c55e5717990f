"""A cycle at one event: snapshot, proposal, progress, dashboard; nothing here writes."""
