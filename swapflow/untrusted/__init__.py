"""What comes from outside, before anything is made of it: how much of it is taken, how deep."""
