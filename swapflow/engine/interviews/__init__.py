"""Interviews: their dates, and telling their people of them."""
