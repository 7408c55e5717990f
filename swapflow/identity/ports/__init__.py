"""What the office needs from outside."""
