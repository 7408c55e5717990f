"""Where the recorded runs lie, and the policy of each name in them."""

import os
from pathlib import Path

from swapflow.bandit.strong_pull_policy import (
    StrongPolicy,
)


ROOT = Path(__file__).resolve().parents[2]

FOLDER = (ROOT / os.environ.get("SWAPFLOW_GOLDEN", "../shared/golden")).resolve()

FILES = sorted(FOLDER.glob("*.json"))

POLICIES = {
    "paper": StrongPolicy.PAPER,
    "weak": StrongPolicy.WEAK,
    "strong": StrongPolicy.STRONG,
    "ratio": StrongPolicy.RATIO,
    "sj": StrongPolicy.RATIO,
    "sj_frac": StrongPolicy.RATIO,
    "s/(s+j)": StrongPolicy.RATIO,
    "symdiff": StrongPolicy.SYMDIFF,
}
