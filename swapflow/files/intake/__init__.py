"""Files of other systems taken in, and results put out for them in their own words."""
