"""Advice on a page: a spreadsheet is read by a process of its own, its answer kept for minutes.

Nothing here loads what computes: the web process starts the reading, waits, and serves files.
"""
