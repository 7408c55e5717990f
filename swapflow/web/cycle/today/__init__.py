"""To do over all programs, and the pages of one program under way."""
