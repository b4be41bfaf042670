"""How many seconds of video count as watched by a learner, without a database.

Premium's payments are shared by these seconds, so no script may add more of them than there was time. Seconds are
counted when a lesson takes them from the time budget (``time_budget``): each second of a lesson once, up to a minute
before it is watched. In addition, a learner's counted seconds never exceed the real time that has passed by more than
``IN_ADVANCE``, whatever the playback rate and however many lessons play at once.
"""

IN_ADVANCE = 60.0  # seconds: lessons take a minute at a time
MAX_STORED = 7200.0  # seconds of real time that are kept, for what was watched without a connection


def pass_time(uncounted: float, passed: float) -> float:
    """Return the learner's unused real time after this many seconds have passed."""
    return min(MAX_STORED, uncounted + max(0.0, passed))


def seconds_counted(uncounted: float, taken: int) -> int:
    """Return how many of the seconds that a lesson takes count as watched."""
    return max(0, min(taken, int(uncounted + IN_ADVANCE)))
