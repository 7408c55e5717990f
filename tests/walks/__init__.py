"""Scripted walks through the product in a browser, and how few acts each takes."""
