"""Commands around the decision: meeting, offers, announcements, card, bundle."""
