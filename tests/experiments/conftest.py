"""What tests of the experiments share."""

from tests.support.compiled import compiled_once


__all__ = ["compiled_once"]
