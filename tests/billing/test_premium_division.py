"""No subscriber moves more between instructors than they paid, and no cent is lost or made."""

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.billing.premium_division import cap_day, divide_by_seconds

USERS, COURSES = st.integers(1, 12), st.integers(1, 6)
OWN = st.dictionaries(USERS, st.integers(0, 3000), max_size=12)
SECONDS = st.dictionaries(USERS, st.dictionaries(COURSES, st.integers(0, 300_000), max_size=6), max_size=12)


def instructors(parts):
    """Two courses belong to each instructor."""
    totals = dict.fromkeys(range(4), 0)
    for course, amount in parts.items():
        totals[course // 2] += amount
    return totals


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(own=OWN, seconds=SECONDS, adversary=USERS)
def test_nobody_moves_more_than_they_paid(own, seconds, adversary):
    parts = divide_by_seconds(own, seconds)

    watching = {user: own[user] for user in seconds if own.get(user, 0) and any(seconds[user].values())}
    assert sum(parts.values()) == sum(watching.values())

    without = instructors(divide_by_seconds(own, {user: each for user, each in seconds.items() if user != adversary}))
    gained = [amount - without[who] for who, amount in instructors(parts).items()]
    assert sum(each for each in gained if each > 0) <= own.get(adversary, 0)

    backwards = {user: dict(reversed(each.items())) for user, each in reversed(seconds.items())}
    assert divide_by_seconds(dict(reversed(own.items())), backwards) == parts


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(st.dictionaries(COURSES, st.integers(0, 90_000)), st.integers(1, 10_800))
def test_a_day_is_capped_in_proportion(seconds, most):
    capped = cap_day(seconds, most)
    assert sum(capped.values()) == min(most, sum(seconds.values()))
    assert all(each <= seconds[course] for course, each in capped.items())
