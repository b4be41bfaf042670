"""A build under a running server: what it replaces can still be fetched, and what is gone is not found."""

import json
import subprocess
from pathlib import Path

import pytest
from django.test import Client, RequestFactory

from studyplatform.kit.web.middleware import StaticFilesMiddleware

ROOT = Path(__file__).resolve().parents[2]
RETIRE = """
import { pruneBuild } from "./assets/pruneBuild.mjs";
const [folder, current, now, keepDays] = JSON.parse(process.argv[1]);
await pruneBuild(folder, new Set(current), { now, keepDays });
"""
DAY = 24 * 60 * 60 * 1000


@pytest.fixture
def dist(tmp_path):
    """The folder of a build, and ``build(names, day)``, which ends one as ``npm run build`` does."""
    folder = tmp_path / "static" / "dist"
    (folder / "chunks").mkdir(parents=True)

    def build(*names: str, day: float = 0, keep_days: int = 14) -> set[str]:
        for name in names:
            (folder / name).write_text(name)
        given = json.dumps([str(folder), names, day * DAY, keep_days])
        subprocess.run(["node", "--input-type=module", "-e", RETIRE, given], check=True, cwd=ROOT, timeout=60)
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        return found - {"replaced.json"}

    return folder, build


OLD, NEW, NEWER = ({f"site-{mark * 8}.js", f"site-{mark * 8}.js.br", f"chunks/a-{mark * 8}.js"} for mark in "ABC")


def test_replaced_files_stay_for_two_weeks(dist):
    _, build = dist
    assert build(*OLD) == OLD
    assert build(*NEW, day=100) == OLD | NEW  # however old it is: until now it was in use
    assert build(*NEW, day=113.9) == OLD | NEW
    assert build(*NEWER, day=114.1) == NEW | NEWER
    assert build(*NEWER, day=128.2) == NEWER


def test_a_file_that_is_built_again_is_current(dist):
    _, build = dist
    build(*OLD)
    build(*NEW, day=1)
    assert build(*OLD, day=2) == OLD | NEW
    assert build(*NEWER, day=14.5) == OLD | NEW | NEWER
    assert build(*NEWER, day=16.5) == OLD | NEWER


def test_files_of_no_build_are_deleted_at_once(dist):
    folder, build = dist
    (folder / "notes.txt").write_text("left behind")
    (folder / "manifest.json.part-17").write_text("half")
    assert build(*OLD) == OLD


def test_with_a_broken_ledger_no_file_is_deleted(dist):
    folder, build = dist
    build(*OLD)
    (folder / "replaced.json").write_text("{")
    assert build(*NEW, day=100) == OLD | NEW


def test_a_watching_build_keeps_no_replaced_files(dist):
    _, build = dist
    build(*OLD)
    assert build(*NEW, keep_days=0) == NEW


@pytest.fixture
def running(tmp_path, settings, dist):
    """The middleware of a server that started when the folder was as it is."""
    settings.WHITENOISE_AUTOREFRESH = False
    settings.WHITENOISE_USE_FINDERS = False
    settings.STATIC_ROOT = str(tmp_path / "static")

    def start() -> StaticFilesMiddleware:
        return StaticFilesMiddleware(lambda request: Client().get(request.path_info))

    return start


@pytest.mark.django_db
@pytest.mark.parametrize("accepted", ["identity", "br"])
def test_a_deleted_static_file_is_not_found(running, dist, accepted):
    folder, build = dist
    build(*OLD)
    server = running()
    wanted = RequestFactory().get("/static/dist/site-AAAAAAAA.js", headers={"Accept-Encoding": accepted})
    assert server(wanted).status_code == 200

    for path in folder.glob("site-*"):
        path.unlink()

    answer = server(wanted)
    assert answer.status_code == 404
    assert "immutable" not in answer.headers.get("Cache-Control", "")


@pytest.mark.django_db
def test_a_build_deletes_no_file_of_a_running_server(running, dist):
    _, build = dist
    build(*OLD)
    server = running()
    build(*NEW, day=1)
    assert server(RequestFactory().get("/static/dist/chunks/a-AAAAAAAA.js")).status_code == 200
