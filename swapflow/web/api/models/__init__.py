"""JSON in and out; each model is imported from where it is defined."""
