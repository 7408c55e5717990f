"""Reads behind the tables of applicants."""
