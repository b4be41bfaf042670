"""The test run itself."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process has no groups")
@pytest.mark.xdist_group("together")
def test_groups_stay_in_one_process(request: pytest.FixtureRequest) -> None:
    """Otherwise each process makes the films and servers that a group shares; nothing fails, all takes longer."""
    assert request.node.nodeid.endswith("@together")
