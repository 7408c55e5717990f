"""Files in and out: tables, imports, rules, exports, bundles."""
