"""What a round consists of, as frozen dataclasses that know only their own data."""
