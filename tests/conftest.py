"""What every test shares: deployments that run side by side choose their own ports.

And what numba has compiled, in one folder for all workers, all processes and the next time.
"""

import os
from pathlib import Path


os.environ.setdefault("SWAPFLOW_WEB_PORT", "0")
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / "var" / "numba"))
