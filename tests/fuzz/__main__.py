"""python -m tests.fuzz --minutes 30: see `run`."""

import sys

from tests.fuzz.run import main


if __name__ == "__main__":
    sys.exit(main())
