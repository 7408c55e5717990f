"""What a form does: once, however often it is sent, and told on the next page."""
