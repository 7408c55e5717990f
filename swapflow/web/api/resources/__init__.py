"""One module a resource, named as in the address."""
