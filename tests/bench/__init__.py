"""`make bench`: pages and the pipeline measured as ratios to a reference in the same run."""

BIG = "a-course-of-130-lessons"
EMAIL, PASSWORD = "bench@example.com", "BenchPass1"
