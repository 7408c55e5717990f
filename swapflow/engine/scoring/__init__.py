"""What staff do to scores: corrections, volunteered reviews, rubrics, offline sheets."""
