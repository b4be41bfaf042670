"""The checks of the launcher, called directly."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studyplatform.launch import machine, packages, places
from studyplatform.launch.due import Due, venv_fault
from studyplatform.launch.processes import SetupError
from tests.launch.conftest import ROOT, VERSION, Project

NOTHING = Due(venv="", python=False, node=False, build=False)


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, as the one that the functions of the launcher set up."""
    monkeypatch.setattr(places, "ROOT", project.folder)
    monkeypatch.setattr(places, "VENV", project.folder / ".venv")
    monkeypatch.setattr(places, "PYTHON", project.folder / ".venv" / "bin" / "python")
    monkeypatch.setattr(places, "MODULES", project.folder / "node_modules")
    monkeypatch.setattr(places, "DIST", project.folder / "static" / "dist")
    monkeypatch.setenv("DATA_DIR", str(project.folder / "var"))
    return project


def test_old_pythons_can_read_the_launcher() -> None:
    ast.parse((ROOT / "studyplatform" / "launch" / "__main__.py").read_text(), feature_version=(3, 6))


def test_faults_of_a_virtual_environment_are_found(here: Project) -> None:
    venv = here.folder / ".venv"
    assert venv_fault() == "there is none"
    here.make_venv()
    assert venv_fault() == ""

    # Ctrl-C while it was made, Debian without python3-venv, or Python upgraded: no pip of this version.
    installed = venv / "lib" / VERSION
    installed.rename(venv / "lib" / "python3.4")
    assert "no pip" in venv_fault()
    (venv / "lib" / "python3.4").rename(installed)

    moved = here.folder.with_name("moved")
    here.folder.rename(moved)
    here.folder.mkdir()
    shutil.copytree(moved / ".venv", venv)
    (venv / "bin" / "pip").write_text(f"#!{moved}/.venv/bin/python\n")
    assert venv_fault() == "it was made for another folder"

    (venv / "bin" / "python").write_text("#!/nowhere/python3\n")
    assert venv_fault() == "its Python doesn't start"
    (venv / "bin" / "python").unlink()
    (venv / "bin" / "python").symlink_to("/nowhere/python3")
    assert venv_fault()


def test_a_virtual_environment_with_a_fault_is_made_again(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    def run(*words: str | Path, **options: object) -> None:
        calls.append([str(word) for word in words])
        here.make_venv()

    monkeypatch.setattr(packages, "run", run)
    (here.folder / ".venv").symlink_to(here.folder / "gone")

    packages.create_venv("there is none")

    assert calls == [[sys.executable, "-P", "-m", "venv", "--clear", str(here.folder / ".venv")]]


@pytest.mark.long
def test_a_real_virtual_environment_is_sound_and_a_half_made_one_is_not(here: Project) -> None:
    """In a folder with a space and an umlaut."""
    packages.create_venv("there is none")
    assert venv_fault() == ""

    [record] = (here.folder / ".venv").glob("lib/*/site-packages/pip-*.dist-info/RECORD")
    record.unlink()
    assert venv_fault()
    packages.create_venv(venv_fault())
    script = here.folder / ".venv" / "bin" / "pip"
    assert "pip" in subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout


def test_all_that_is_missing_is_said_at_once(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in {"ensurepip", "lzma"} else find(name))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(machine, "postgres_bin", lambda: None)
    monkeypatch.setattr(machine, "SPACE_FOR_PACKAGES", 10**18)
    monkeypatch.setenv("PATH", str(here.stubs))
    here.stub("apt-get", "#!/bin/sh\nexit 1\n")
    due = Due(venv="there is none", python=True, node=True, build=True)

    with pytest.raises(SetupError) as caught:
        machine.check_machine(due, everything=True, for_tests=True, serves=False)

    text = str(caught.value)
    programs = "ffmpeg redis-server chromium-headless-shell postgresql"
    listed = f"{machine.missing_packages(due, for_tests=False)[0]} {programs}"
    assert f"apt-get update && apt-get install -y {listed}" in text
    assert listed.startswith("python3")
    assert "was built without lzma" in text
    assert "Too little free space" in text


def test_root_gets_what_is_missing_installed(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(machine, "run", lambda *words, **options: ran.append(" ".join(map(str, words))))
    monkeypatch.setattr(machine, "postgres_bin", lambda: here.stubs)
    for name in ("apt-get", "ffmpeg", "chromium"):
        here.stub(name, "#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("PATH", str(here.stubs))

    machine.check_machine(NOTHING, everything=True, for_tests=True, serves=False)

    assert [words.split()[-1] for words in ran] == ["-qq", "redis-server"]


def test_space_is_counted_for_each_disk(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.missing_space(NOTHING, everything=False, serves=True) == []
    free = shutil.disk_usage(here.folder).free
    monkeypatch.setattr(machine, "SPACE_FOR_PACKAGES", free // 2)
    monkeypatch.setattr(machine, "SPACE_FOR_DATA", free // 2 + 10**9)

    [sentence] = machine.missing_space(NOTHING, everything=False, serves=True)
    assert sentence.startswith(f"Too little free space on the disk of {here.folder}: ")
    (here.folder / "var").mkdir()
    (here.folder / "var" / "demo.state").touch()
    assert machine.missing_space(NOTHING, everything=False, serves=True) == []
