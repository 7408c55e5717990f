"""Reconsiderations: one application is looked at again after the list was made final."""
