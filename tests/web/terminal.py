"""Commands typed on a site's own database."""

import io
from contextlib import redirect_stderr, redirect_stdout

from swapflow.cli.main import main


def typed(*arguments: str) -> tuple[str, str]:
    """Type a command that must succeed; gives its first two words and what it said."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        assert main(arguments) == 0, out.getvalue()
    return " ".join(arguments[:2]), out.getvalue()
