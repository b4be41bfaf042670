"""All steps from a fresh clone to a project that can be run."""

import json

from studyplatform.launch import places
from studyplatform.launch.due import state_of_build, what_is_due
from studyplatform.launch.environment import clean_environment
from studyplatform.launch.machine import check_machine
from studyplatform.launch.node import use_node
from studyplatform.launch.packages import create_venv, install_packages
from studyplatform.launch.processes import SetupError, lock_folder, run, say


def build_islands() -> None:
    """Build the islands, the styles and the sprite of the icons that templates and Python name into static/dist."""
    say("Building the islands and styles")
    wanted = state_of_build()
    run("npm", "run", "--silent", "build", quiet=True, keeps_lock=True)
    (places.DIST / ".stamp").write_text(wanted)
    for sentence in over_budget():
        say(sentence)


def over_budget() -> list[str]:
    """A sentence for each page of the build that loads more than its budget (assets/budgets.mjs)."""
    listed = places.DIST / "over-budget.json"  # written by assets/build.mjs
    sentences: list[str] = json.loads(listed.read_text()) if listed.exists() else []
    return sentences


def check_budgets() -> None:
    """
    :raises SetupError: the build is over budget.
    """
    sentences = over_budget()
    if sentences:
        raise SetupError("\n".join(sentences))


def set_up(
    requirements: str, *, everything: bool, build: bool = True, for_tests: bool = False, serves: bool = False
) -> None:
    """Install and build what is missing or out of date; with the development tools only if ``everything``.

    :raises SetupError: it can't be done; nothing that worked before is lost.
    """
    clean_environment()
    with lock_folder():
        due = what_is_due(requirements, everything=everything, build=build)
        check_machine(due, everything=everything, for_tests=for_tests, serves=serves)
        if due.venv:
            create_venv(due.venv)
        if everything or due.node or due.build:  # the server itself needs no Node.js
            use_node()
        install_packages(requirements, everything=everything)
        if due.build:
            build_islands()
