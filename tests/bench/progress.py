"""How many saves of progress a core sustains, beside a bare view that upserts one row (``bare_progress.py``).

    make bench-progress

The CPU time of the web processes and of PostgreSQL counts, that of the clients does not: so the figure does not depend
on how fast the clients are.
"""

from __future__ import annotations

import json
import statistics
from datetime import UTC, datetime

from tests.bench.pages import ROUNDS, Ask, Players, cpu_per_request, database, gunicorn, manage

LEARNERS, TIMES = 100, 3
GOAL, SHARE = 1000, 0.7


def bench_progress() -> None:
    """Print saves a second and core of the product and of the bare view, and their ratio."""
    people = f"import json; from tests.bench import data; print(json.dumps(data.players({LEARNERS})))"
    with (
        database() as (env, postmaster),
        gunicorn("studyplatform.wsgi:application", env, postmaster) as site,
        gunicorn("tests.bench.bare_progress:application", {"DATABASE_URL": env["DATABASE_URL"]}, postmaster) as bare,
    ):
        players = Players(json.loads(manage(env, "shell", "-v", "0", "-c", people)))
        bare.get("/table")
        ratios, costs = [], []
        for turn in range(ROUNDS + 1):
            asks = [ask for _ in range(TIMES) for ask in players.watching(turn)]
            same = [Ask(f"/save/{place % LEARNERS}", {}, ask.body) for place, ask in enumerate(asks)]
            cost, least = cpu_per_request(site, asks), cpu_per_request(bare, same)
            if turn:  # the first round warms up
                costs.append(cost)
                ratios.append(least / cost)
        cost, ratio = statistics.median(costs), statistics.median(ratios)
        print(f"\n{datetime.now(UTC):%Y-%m-%d}: {1000 / cost:.0f} saves a second and core ({cost:.2f} ms of CPU each)")
        print(f"the bare view: {1000 / cost / ratio:.0f}; ratio {ratio:.2f} (goal: {GOAL} a second, or {SHARE})")
