"""`python -m tests.races`, which is `make races`."""

import sys

from tests.races.campaign import main


if __name__ == "__main__":
    sys.exit(main())
