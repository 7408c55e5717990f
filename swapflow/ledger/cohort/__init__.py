"""What follows the list, read and written."""
