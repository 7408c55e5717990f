"""Research: strategies against each other over many runs; no part of the product imports it."""
