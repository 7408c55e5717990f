"""Tables as offices keep them, read into rows that know their line."""
