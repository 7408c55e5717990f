"""What a process writes to its log, and what it never does."""

import json

import pytest
import structlog

from swapflow.processes.log_format import set_up_logs
from swapflow.settings import load_settings


@pytest.fixture(autouse=True)
def _as_before() -> object:
    yield
    structlog.reset_defaults()


def fail() -> None:
    key = "sf_a-key-nobody-may-read"
    raise ValueError("something nobody foresaw") if key else AssertionError


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_traceback_in_the_log_holds_no_value_of_a_variable(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logs(load_settings(log_format=form))

    try:
        fail()
    except ValueError as error:
        structlog.get_logger().error("a request failed", exc_info=error)

    written = capsys.readouterr().out
    assert "ValueError" in written
    assert "in fail" in written
    assert "sf_a-key" not in written


def test_json_is_one_object_a_line_and_the_level_is_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_up_logs(load_settings(log_format="json", log_level="WARNING"))

    structlog.get_logger().info("nothing to see")
    structlog.get_logger().warning("look here", cycle_id="fall")

    (line,) = capsys.readouterr().out.splitlines()
    said = json.loads(line)
    assert said.pop("timestamp")
    assert said == {"event": "look here", "level": "warning", "cycle_id": "fall"}
