"""Many runs of a rule against normal noise at once; one way in, simulate()."""
