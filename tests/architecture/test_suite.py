"""The test run itself."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What a test module does whose outcome depends on the database: threads that race, constraints, real commits.
DEPENDS = r"django_db\(transaction=True|threading\.Thread\(|ThreadPoolExecutor|IntegrityError|connection\.vendor"


@pytest.mark.xdist_group("together")
def test_groups_stay_in_one_process(request: pytest.FixtureRequest) -> None:
    """Otherwise each process makes the films and servers that a group shares; nothing fails, all takes longer."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("only with --dist loadgroup")

    assert request.node.nodeid.endswith("@together")


def test_modules_that_depend_on_the_database_run_on_both() -> None:
    wrong = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text()
        if file == Path(__file__) or "e2e" in file.parts or "mark.media" in text:
            continue
        if re.search(DEPENDS, text) and "mark.database" not in text:
            wrong.append(file.relative_to(ROOT).as_posix())

    assert not wrong, "mark them with pytest.mark.database: " + ", ".join(wrong)
