"""Every table and figure of the paper, and the tables beyond it, made by our own code."""
