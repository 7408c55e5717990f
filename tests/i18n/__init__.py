"""Languages, dates, and the catalogues of messages."""
