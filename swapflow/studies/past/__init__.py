"""What last year's reviews say: spread, severity, agreement, the worth of interviews."""
