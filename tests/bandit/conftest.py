"""What tests of the bandit share."""

import pytest

from tests.support.compiled import compiled_once


__all__ = ["compiled_once"]

pytest.register_assert_rewrite("tests.bandit.golden", "tests.bandit.golden_kg")
