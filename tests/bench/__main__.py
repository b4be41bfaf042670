"""Measure and print one table. Figures are ratios to the reference of the same run (docs/performance.md).

    python -m tests.bench                        everything
    python -m tests.bench pages                  the pages and calls
    python -m tests.bench pages catalogue quiz   rows whose name contains one of the words, without bytes
    python -m tests.bench video                  the pipeline
    python -m tests.bench library                the library with 100 and with 100,000 files
    python -m tests.bench forum                  the discussions with 1,000 and with 100,000 posts, or 1,000,000
    python -m tests.bench sockets                500 sockets on one topic
    python -m tests.bench progress               saves of progress a second, beside a bare view
    python -m tests.bench worker                 the first byte of a page, with and without the service worker
    python -m tests.bench tutor                  how often the tutor finds the right passage
    python -m tests.bench abuse                  the dearest of all hostile requests, or of those with these words
    python -m tests.bench tutor stream           what a streamed answer of the tutor costs

``BENCH_DATA`` is a folder that keeps the filled database for the next run; ``BENCH_ROUNDS`` how often
each row is measured (3; of odd numbers the median tells most).
"""

import sys

from tests.bench.abuse import bench_abuse
from tests.bench.forum import bench_forum
from tests.bench.library import bench_library
from tests.bench.pages import bench_pages
from tests.bench.progress import bench_progress
from tests.bench.service_worker import bench_worker
from tests.bench.sockets import bench_sockets
from tests.bench.tutor import bench_tutor
from tests.bench.video import bench_video

if __name__ == "__main__":
    what, *words = sys.argv[1:] or [""]
    if what not in {"", "pages", "video", "library", "forum", "sockets", "progress", "tutor", "abuse", "worker"}:
        sys.exit(__doc__)
    if what in {"", "pages"}:
        bench_pages(words)
    if what in {"", "video"}:
        bench_video()
    if what == "library":
        bench_library(words)
    if what == "forum":
        bench_forum(words)
    if what == "sockets":
        bench_sockets(words)
    if what == "progress":
        bench_progress()
    if what == "abuse":
        bench_abuse(words)
    if what == "worker":
        bench_worker()
    if what == "tutor":
        bench_tutor(words)
