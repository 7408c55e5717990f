"""The screens and the JSON API; each page parses, calls one method of a service, and renders."""
