"""The office around the cycles: who signs in, who may do what, and what is on record of it."""
