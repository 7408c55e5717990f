"""What scores say: posterior, severity, worth of one more pull."""
