"""Serving processes on a slow machine: waited for, one after the other."""

import sys

import pytest

from tests.support.ports import free_port
from tests.support.process import Process, children


pytestmark = pytest.mark.system


def test_a_slow_web_process_is_waited_for_and_the_next_starts_when_it_serves() -> None:
    env = {"SF_TEST_SLOW": "4", "SF_TEST_PORT": str(free_port())}
    with Process([sys.executable, "-m", "tests.support.slow_app"], env=env) as web:
        web.wait_for(
            lambda: web.output().count("Application startup complete") == 1, what="the first"
        )
        assert web.output().count("Started server process") == 1
        web.wait_for(
            lambda: web.output().count("Application startup complete") == 2, what="the second"
        )

        assert web.output().count("Started server process") == 2, "one was killed for being slow"
        assert children(web.pid)
        assert web.terminate() == 0
