"""A finished cycle as one signed file that anybody can check."""
