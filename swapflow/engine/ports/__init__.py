"""What the steps need from outside, one small protocol per stage."""
