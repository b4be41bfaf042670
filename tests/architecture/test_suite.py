"""The test run itself."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_stay_in_one_process(request: pytest.FixtureRequest) -> None:
    """Otherwise each process makes the films and servers that a group shares; nothing fails, all takes longer."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("only with --dist loadgroup")

    assert request.node.nodeid.endswith("@together")
