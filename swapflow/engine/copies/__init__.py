"""Programs made from others: practice programs for training, and next year's."""
