"""The discussions with 1,000 and with many posts: queries and CPU per request, as ratios within one run.

    python -m tests.bench forum                     1,000 posts against 100,000
    python -m tests.bench forum 1000000             against 1,000,000 (some minutes to fill)
    python -m tests.bench forum 1000000 search      only the rows whose name contains the word
    python -m tests.bench forum 1000000 explain     print the plans of the slow queries too
    python -m tests.bench forum units               what the pages cost in R, served by gunicorn

CPU is that of the Django process and of its PostgreSQL backend, per request of Django's test client. Both databases are
on one server, and stay in the folder ``BENCH_DATA``, if it is set. The last rows compare pages of a topic of 10,000
posts with those of one of 100.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests import servers
from tests.bench import EMAIL, PASSWORD, processes

FEW, MANY = 1_000, 100_000
ROUNDS, REQUESTS = 5, 8
SLOW = 0.005  # seconds of a query whose plan is printed


def bench_forum(words: list[str]) -> None:
    """Fill two databases and print the table."""
    many = next((int(word) for word in words if word.isdecimal()), MANY)
    with contextlib.ExitStack() as stack:
        kept = os.environ.get("BENCH_DATA")
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        stamp = folder / "forum-filled"
        is_filled = stamp.is_file() and stamp.read_text() == f"{many}"
        data = folder / "forum" if kept else None
        address, postmaster = stack.enter_context(servers.postgres(data_dir=data, initialize=not is_filled))
        os.environ |= {
            "DATABASE_URL": address,
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "DATA_DIR": str(folder),
            "ALLOW_STANDIN": "true",
            "SECRET_KEY": "bench-only-" + "0" * 48,
            "ALLOWED_HOSTS": "testserver",
            "EMAIL_URL": "smtp://127.0.0.1:1",
            "SITE_URL": "http://testserver",
        }
        import django

        django.setup()
        if not is_filled:
            _fill(many)
            stamp.write_text(f"{many}")
        if "units" in words:
            _print_units(postmaster)
            return
        _measure(postmaster, [word for word in words if not word.isdecimal()])


def _fill(many: int) -> None:
    """Two databases, "few" and "many", with the same people and courses."""
    from django.core.management import call_command
    from django.db import connection

    from tests.bench.forum_data import fill_forum

    call_command("prepare_database", verbosity=0)
    _fill_people()
    connection.close()
    _go_to("template1")
    for name in ("few", "many"):
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE postgres")
    for name, posts in (("few", FEW), ("many", many)):
        _go_to(name)
        print(f"filling a database with {posts:,} posts", flush=True)
        fill_forum(posts)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def _go_to(name: str) -> None:
    from django.conf import settings
    from django.db import connection

    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def _fill_people() -> None:
    """A few courses and the learner who reads; the same in both databases."""
    from django.contrib.auth.hashers import make_password
    from django.utils import timezone

    from apps.accounts.models import Role, User
    from apps.courses.models import Course, Subject
    from apps.learning.models import Enrollment

    now = timezone.now()
    teacher = User.objects.create(email="t@example.com", username="t", role=Role.INSTRUCTOR, email_verified_at=now)
    person = User.objects.create(email=EMAIL, username="bench", first_name="Ben", email_verified_at=now,
                                 password=make_password(PASSWORD))  # fmt: skip
    subject, _ = Subject.objects.get_or_create(slug="mathematics", defaults={"name": "Mathematics", "position": 1})
    courses = Course.objects.bulk_create(
        Course(slug=f"course-{n}", title=f"Course {n}", summary="All of it.", description="", subject=subject,
               instructor=teacher, status=Course.Status.PUBLISHED, difficulty=Course.Difficulty.values[0], outcomes=[],
               plate="", created_at=now, updated_at=now, published_at=now)
        for n in range(40)
    )  # fmt: skip
    for course in courses[:5]:
        Enrollment.objects.create(user=person, course=course, enrolled_at=now, last_activity_at=now)


def _measure(postmaster: int, words: list[str]) -> None:
    from django.contrib.auth import get_user_model
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from studyplatform.kit.caching.lru import clear_caches
    from tests.bench.forum_data import long_topic

    browsers: dict[str, tuple[Client, Client]] = {}
    paths: dict[str, dict[str, str]] = {}
    for name in ("few", "many"):
        _go_to(name)
        browsers[name] = (Client(), Client())
        browsers[name][1].force_login(get_user_model().objects.get(email=EMAIL))
        paths[name] = {"short": long_topic(100), "long": long_topic(10_000)}

    def cpu_of(browser: Client, address: str) -> float:
        before, database = time.process_time(), processes.cpu(postmaster)
        for _ in range(REQUESTS):
            answer = browser.get(address)
            if answer.status_code != 200:
                sys.exit(f"{address} answered {answer.status_code}")
        return (time.process_time() - before + processes.cpu(postmaster) - database) / REQUESTS * 1000

    print(f"{'':40}{'SQL':>5}{'few, ms':>9}{'many':>7}   (ratio)")
    wanted = [word for word in words if word != "explain"]
    for title, (is_signed_in, few, many) in ROWS.items():
        if wanted and not any(word in title for word in wanted):
            continue
        costs: dict[str, list[float]] = {"few": [], "many": []}
        asks = {"few": ("few" if few == many else "many", few), "many": ("many", many)}
        count = ""
        for _ in range(ROUNDS):
            for name, (database, address) in asks.items():
                _go_to(database)
                cache.clear()
                clear_caches()
                browser = browsers[database][is_signed_in]
                address = address.format(**paths[database])
                for _ in range(2):
                    browser.get(address)
                if not costs[name] and name == "many":
                    with CaptureQueriesContext(connection) as queries:
                        count = browser.get(address)["X-SQL"]
                    if "explain" in words:
                        _explain(queries.captured_queries)
                costs[name].append(cpu_of(browser, address))
        low, high = (statistics.median(costs[name]) for name in asks)
        print(f"{title:40}{count:>5}{low:9.1f}{high / low:7.2f}", flush=True)


def _print_units(postmaster: int) -> None:
    """What a learner's pages cost in R, with many posts."""
    from tests.bench.pages import Ask, cpu_per_request, gunicorn, sign_in

    _go_to("many")
    from tests.bench.forum_data import long_topic

    paths = {"topic of 100, learner": long_topic(100), "topic of 10,000, last page": long_topic(10_000) + "?page=400"}
    paths |= {"index, learner": "/forum/", "search, two words, learner": "/forum/?q=brabra+alwa"}
    env = {"DATABASE_URL": os.environ["DATABASE_URL"].rpartition("/")[0] + "/many", "ALLOWED_HOSTS": "127.0.0.1"}
    with (
        gunicorn("tests.bench.reference:application", {}) as reference,
        gunicorn("studyplatform.wsgi:application", env, postmaster) as site,
    ):
        cookie = sign_in(site, EMAIL, PASSWORD)
        for name, path in paths.items():
            asks = [Ask(path, {"Cookie": cookie})] * REQUESTS * 5
            cpu_per_request(site, asks)
            units = [
                cpu_per_request(site, asks) / cpu_per_request(reference, [Ask("/")] * REQUESTS * 5)
                for _ in range(ROUNDS)
            ]
            answer = site.ask(asks[0])
            body: bytes = answer.body  # type: ignore[attr-defined]
            size = f"{len(body):,} bytes of HTML, {len(gzip.compress(body, 6)):,} compressed"
            print(f"{name:34}{statistics.median(units):6.1f} R, {answer.headers['X-SQL']} queries, {size}", flush=True)


def _explain(queries: list[dict[str, Any]]) -> None:
    from django.db import connection

    for query in queries:
        if float(query["time"]) >= SLOW and (query["sql"] or "").startswith("SELECT"):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + query["sql"].replace("%", "%%"))
                plan = "\n".join(row[0] for row in cursor.fetchall())
            print(f"{query['time']} s: {query['sql'][:1500]}\n{plan}\n", flush=True)


# Whether the reader is signed in, the address with few posts, and the one with many.
ROWS: dict[str, tuple[bool, str, str]] = {
    name: (who, few, many or few)
    for name, who, few, many in [
        ("index, visitor", False, "/forum/", ""),
        ("index, learner", True, "/forum/", ""),
        ("index, unanswered, learner", True, "/forum/?tab=unanswered", ""),
        ("index, solved, learner", True, "/forum/?tab=solved", ""),
        ("index, following, learner", True, "/forum/?tab=following", ""),
        ("index, own courses, learner", True, "/forum/?boards=own", ""),
        ("board, learner", True, "/forum/boards/general-0", ""),
        ("board of a course, learner", True, "/forum/boards/course-1", ""),
        ("tag, learner", True, "/forum/tags/tag-1", ""),
        ("search, common word, learner", True, "/forum/?q=albra", ""),
        ("search, two words, learner", True, "/forum/?q=brabra+alwa", ""),
        ("search, no result, learner", True, "/forum/?q=cliffs", ""),
        ("topic of 100, first page, learner", True, "{short}", ""),
        ("topic of 10,000 : 100, last page", True, "{short}?page=4", "{long}?page=400"),
        ("topic of 10,000 : 100, changed posts", True, "{short}/posts?page=4&since=0", "{long}/posts?page=400&since=0"),
        ("topic of 10,000 : 100, middle", True, "{short}?page=2", "{long}?page=200"),
    ]
}
