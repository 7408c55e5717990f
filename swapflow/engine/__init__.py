"""The numbered steps of the path, one module each, and the ports they need."""
