"""`python -m tests.chaos`, which is `make chaos`."""

import sys

from tests.chaos.campaign import main


if __name__ == "__main__":
    sys.exit(main())
