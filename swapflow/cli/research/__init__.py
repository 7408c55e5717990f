"""Demo, replay, plans and studies."""
