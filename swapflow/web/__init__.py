"""The screens: pages for reviewers and staff, and the JSON API; parse, call one method, report."""
