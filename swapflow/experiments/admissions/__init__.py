"""The same on admissions data: twin, conferences, committees, tiers."""
