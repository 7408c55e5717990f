"""What every test shares: deployments that run side by side choose their own ports."""

import os


os.environ.setdefault("SWAPFLOW_WEB_PORT", "0")
