"""swapflow decides, score by score, whom to review or interview next."""
