"""What pages about many people read: built once for an event, cut to what is shown."""
