"""What every request and every page has in common."""
