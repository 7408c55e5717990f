"""The round to come: past rounds read, a plan simulated, suggestions made."""
