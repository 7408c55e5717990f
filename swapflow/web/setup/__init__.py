"""Rounds, programs, rules, rubrics, launch."""
