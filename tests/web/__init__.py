"""The pages, asked as a browser asks them."""
