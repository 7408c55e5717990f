"""Rules files: TOML in, rules out, every problem named."""
