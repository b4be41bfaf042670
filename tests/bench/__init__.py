"""`make bench`: pages and the pipeline measured as ratios to a reference in the same run."""

from pathlib import Path

BIG = "a-course-of-130-lessons"
EMAIL, PASSWORD = "bench@example.com", "BenchPass1"
VIDEO, QUIZ = "lesson-7-6", "lesson-13-10"


def data_files() -> list[Path]:
    """The files that define the filled database: when one of them changes, it is filled again."""
    here = Path(__file__)
    return [here, here.with_name("data.py")]
