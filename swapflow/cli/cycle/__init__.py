"""Commands of staff who run a program."""
