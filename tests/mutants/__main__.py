"""Put faults into a copy of the project, one at a time, and show which of them the tests see.

    python -m tests.mutants                      all of tests/mutants/table.py
    python -m tests.mutants --app forum          those whose file or name contains the word
    python -m tests.mutants --tree FOLDER        of another checkout, e.g. of an older version, by its own tests
    python -m tests.mutants --results FILE       continue a run that was broken off: its lines are in this file

Only the test files that are expected to see a mutant run, without those marked ``long``: what `make test` runs of them.
A fault that they do not see is worth a test. The last line counts; the status is 1 if any fault was not seen.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutants.table import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
LINKED = (".venv", "node_modules")
BUILT = "static/dist"
_writes = itertools.count(1)
SEEN, MISSED, GONE, BROKEN = "seen", "NOT SEEN", "its text is gone", "the tests do not run"


def copy_tree(tree: Path, copy: Path) -> None:
    """Copy what is in version control, new files too, with links to the installed packages."""
    listed = subprocess.run(
        ["git", "-C", tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (tree / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, copy / name)
    for name in LINKED:
        if not (copy / name).is_symlink() and (tree / name).exists():
            (copy / name).symlink_to((tree / name).resolve())
    shutil.copytree(tree / BUILT, copy / BUILT, dirs_exist_ok=True)


def write_newer(file: Path, text: str) -> None:
    """Write a file so that Python compiles it again: stored bytecode is told apart by whole seconds and the size."""
    file.write_text(text)
    moment = time.time() + next(_writes)
    os.utime(file, (moment, moment))


def run_tests(copy: Path, tests: list[str]) -> tuple[int, str]:
    """Run these files; the status of the runner, and its output."""
    if tests[0].endswith((".ts", ".tsx")):
        names = [name.removeprefix("assets/") for name in tests]
        command = ["npx", "vitest", "run", "--config", "assets/vitest.config.ts", "--bail", "1", *names]
    else:
        options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not long and not media"]
        command = [str(copy / ".venv/bin/python"), "-m", "pytest", *options, *tests]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {"NO_COLOR": "1"}
    done = subprocess.run(command, cwd=copy, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def first_failure(output: str) -> str:
    found = re.search(r"^(?:FAILED|ERROR) \S*?(\w+\.py(?:::\S+)?)", output, re.MULTILINE) or re.search(
        r"FAIL\s+(.+)", output
    )
    return found[1][:90] if found else ""


def try_mutant(mutant: Mutant, copy: Path) -> tuple[str, str]:
    """What became of a fault, and the first test that saw it."""
    file = copy / mutant.file
    text = file.read_text() if file.exists() else ""
    if text.count(mutant.old) != 1:
        return GONE, ""
    tests = [name for name in mutant.tests if (copy / name).exists()]
    if not tests:
        return BROKEN, "no such files"
    write_newer(file, text.replace(mutant.old, mutant.new))
    try:
        status, output = run_tests(copy, tests)
    finally:
        write_newer(file, text)
    if status == 0:
        return MISSED, ""
    seen = status == 1 or "error during collection" in output
    return (SEEN, first_failure(output)) if seen else (BROKEN, output.strip()[-200:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", default="", help="only mutants whose file or name contains this")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to try")
    parser.add_argument("--results", type=Path, help="a file of results to which this run adds")
    options = parser.parse_args()
    chosen = [each for each in MUTANTS if options.app in each.file or options.app in each.name]
    known: dict[str, list[str]] = {}
    if options.results and options.results.exists():
        known = dict(json.loads(line) for line in options.results.read_text().splitlines())
    outcomes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="study-mutants-") as folder:
        copy = Path(folder)
        copy_tree(options.tree.resolve(), copy)
        for mutant in chosen:
            outcome, by = known.get(mutant.name) or try_mutant(mutant, copy)
            if options.results and mutant.name not in known:
                with options.results.open("a") as results:
                    results.write(json.dumps([mutant.name, [outcome, by]]) + "\n")
            outcomes.append(outcome)
            print(f"{outcome:16} {mutant.file.split('/')[1]:14} {mutant.name}{f' ({by})' if by else ''}", flush=True)
    counts = [f"{outcomes.count(each)} {each}" for each in (SEEN, MISSED, GONE, BROKEN)]
    print(f"{len(outcomes)} mutants: {', '.join(counts)}", flush=True)
    return int(any(outcome != SEEN for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
