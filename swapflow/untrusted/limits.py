"""Every cap on what files and messages from outside may hold.

More is refused in words before it costs time or memory that others need. `docs/administrators.md`
lists the caps; a test compares.
"""

MOST_TABLE_BYTES = 50 * 1024 * 1024
"""Bytes of a list: CSV, XLSX as packed, JSON."""

MOST_ROWS = 200_000
MOST_COLUMNS = 2_000
"""Columns of a list that hold anything. An admissions system's widest export has a few hundred."""

MOST_CELLS = 4_000_000
LONGEST_CELL = 100_000
"""Characters of one cell; a spreadsheet's holds 32,767."""

MOST_SHEETS = 200
"""Sheets of a workbook."""

MOST_UNZIPPED_WORKBOOK = 300 * 1024 * 1024
MOST_PACKED = 200
"""How many times smaller than its content an honest workbook is at most, from `SMALL_WORKBOOK`
on."""
SMALL_WORKBOOK = 50 * 1024 * 1024

MOST_EMPTY = 10
"""Formatted empty cells that are passed over, for each cell that a table may have."""

LONGEST_NUMBER_FORMAT = 255
"""Characters of a spreadsheet's number format that is followed; Excel writes no longer one."""

MOST_ZIP_FILES = 5_000
MOST_ZIP_BYTES = 500_000_000
"""Bytes of all files of an archive together, unpacked."""

MOST_BULK_FILES = 50_000
"""Files of an archive that is read from disk, one at a time."""
MOST_PAGES = 50_000
"""Pages of a combined PDF."""

DEEPEST = 64
"""Levels of brackets inside brackets, in JSON and TOML. Nothing that swapflow writes has ten."""

LARGEST_INTEGER = 2**63 - 1
"""What a column of a database holds."""

MOST_JSON_BYTES = 1_000_000
"""Bytes of JSON that is neither a list nor a bundle: a file of settings, a service's answer."""

MOST_RULES_BYTES = 256_000
"""Bytes of a rules file."""

MOST_BOUNCE_BYTES = 1_000_000
"""Bytes of a mail that came back which are looked at; a report says first what happened."""

MOST_BOUNCE_PARTS = 100
"""Parts inside parts of such a mail."""

MOST_MAILBOX_BYTES = 50 * 1024 * 1024
"""Bytes of a file of such mails that a command reads at once."""
