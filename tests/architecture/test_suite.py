"""The test run itself."""

import re
import subprocess
from pathlib import Path

import pytest

from studyplatform.launch import commands, due, places
from tests import checks, conftest, suite

ROOT = Path(__file__).parents[2]
# Code in test modules whose result depends on the database: racing threads, constraints, real commits.
DEPENDS = r"django_db\(transaction=True|threading\.Thread\(|ThreadPoolExecutor|IntegrityError|connection\.vendor"


@pytest.mark.xdist_group("together")
def test_xdist_groups_stay_in_one_process(request: pytest.FixtureRequest) -> None:
    """Otherwise each process creates the videos and servers that a group shares, which is slow but no failure."""
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


def test_run_without_a_build_ends_with_one_sentence(monkeypatch, pytestconfig) -> None:
    monkeypatch.setattr(conftest, "build_problem", lambda: "Run: npm run build")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)

    with pytest.raises(pytest.exit.Exception, match="npm run build"):
        conftest.pytest_configure(pytestconfig)


def test_make_format_continues_after_errors_it_cannot_fix(monkeypatch, tmp_path) -> None:
    code = tmp_path / "long.py"
    code.write_text(f"import os\nfound = max({', '.join(['1000'] * 30)})\ntext = '{'x' * 140}'\n")
    ran = []

    def run(*command: str | Path) -> None:
        ran.append(str(command[0]))
        if Path(command[0]).name == "ruff":
            subprocess.run([*command[:-1], "--config", ROOT / "pyproject.toml", tmp_path], check=True)

    monkeypatch.setattr(commands, "tools", lambda: None)
    monkeypatch.setattr(commands, "run", run)
    commands.format_code()

    assert ran[-1] == "npm"
    assert "import os" not in code.read_text()
    assert "    1000,\n" in code.read_text()


def test_assets_are_rebuilt_when_a_template_or_a_notification_kind_names_an_icon(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(places, "ROOT", tmp_path)
    template, kind = tmp_path / "templates" / "page.html", tmp_path / "apps" / "notices.py"
    for file in (template, kind):
        file.parent.mkdir()
        file.write_text("text\n")
    before = due.icon_mentions()

    template.write_text("another text\n")
    assert due.icon_mentions() == before
    template.write_text('{{ icon("bell") }}\n')
    named = due.icon_mentions()
    assert named != before
    kind.write_text('    icon="mail",\n')
    assert due.icon_mentions() != named


def test_each_folder_with_tests_of_islands_belongs_to_an_app_or_to_all() -> None:
    assets = ROOT / "assets"
    tested = {file.parent.relative_to(assets).as_posix() for file in assets.rglob("*.test.ts*")}
    of_apps = {part for parts in suite.ISLANDS.values() for part in parts}

    unknown = {one for one in tested if not any(f"{one}/".startswith(f"{part}/") for part in of_apps)}
    assert unknown == suite.SHARED_ISLANDS, "add it to ISLANDS or SHARED_ISLANDS of tests/suite.py, or remove it there"
    empty = {part for part in of_apps if not any((assets / part).rglob("*.test.ts*"))}
    assert not empty, "folders without tests in ISLANDS of tests/suite.py"
    assert suite.ISLANDS.keys() == {each.name for each in (ROOT / "apps").iterdir() if (each / "apps.py").exists()}


def test_a_check_runs_again_only_after_a_file_that_it_reads_has_changed(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "STAMPS", tmp_path / ".checks")
    code, other, packages = tmp_path / "apps" / "code.py", tmp_path / "apps" / "text.txt", tmp_path / "requirements.txt"
    code.parent.mkdir()
    for file in (code, other, packages):
        file.write_text("1")
    one = checks.Check("a check", ("true",), ("apps",), (".py",))
    runs: list[str] = []

    def run(fails: bool = False) -> None:
        def record(each: checks.Check) -> None:
            if fails:
                raise suite.StepFailed(each.name)
            runs.append("ran")

        checks.run_unless_passed(one, record, lambda _: runs.append("skipped"))

    with pytest.raises(suite.StepFailed):
        run(fails=True)
    run()
    run()
    other.write_text("2")
    run()
    assert runs == ["ran", "skipped", "skipped"]
    for file, text in ((code, "2"), (packages, "2"), (code.with_name("new.py"), "")):
        file.write_text(text)
        run()
        run()
    assert runs[3:] == ["ran", "skipped"] * 3
