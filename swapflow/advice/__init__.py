"""Advice from marks alone: who should be read again, by whom, and whether it is still worth it.

No server, no database, no setting up: a table of marks becomes a cycle in memory, and the next
requests are what a cycle under the same rules decides, by the same functions.
"""
