"""The paper's experiments on admissions data: twin, conferences, committees, tiers."""
