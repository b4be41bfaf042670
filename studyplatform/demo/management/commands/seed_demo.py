"""``manage.py seed_demo``: people, courses with their videos, and a forum, so that no page is empty."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from studyplatform.demo.forum_library import read_forum
from studyplatform.demo.library import Malformed, read_library
from studyplatform.demo.seed_sales import Year
from studyplatform.demo.seeding import beginnings, steps
from studyplatform.kit import jobs


class Command(BaseCommand):
    help = "Load the demo content. Existing content is left alone, so you can safely run this again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--force", action="store_true", help="Load it even in production.")
        parser.add_argument(
            "--process", action="store_true", help="Process the videos now instead of leaving them to the worker."
        )

    def handle(self, *, force: bool, process: bool, verbosity: int, **options: Any) -> None:
        if settings.ENVIRONMENT == "production" and not force:
            raise CommandError(
                "This is a production environment, and the password of the demo accounts is public. "
                "To load the demo content anyway: manage.py seed_demo --force"
            )
        try:
            library = read_library()
            forum = read_forum(library)
        except Malformed as problem:
            raise CommandError(str(problem)) from problem
        now, shown = timezone.now(), verbosity > 0 and self.stdout.isatty()
        with Year(library, beginnings(library, now), now) as year:
            work = list(steps(library, forum, year=year, now=now))
            with tqdm(work, disable=not shown, file=self.stdout, unit="", leave=False, ncols=78) as bar:
                for step in bar:
                    bar.set_description(f"  {step.name[:34]:34}")
                    step.run()
        if verbosity > 0:
            videos = sum(lesson.film is not None for course in library.courses for lesson in course.lessons)
            self.stdout.write(
                f"  {len(library.people)} people, {len(library.courses)} courses, "
                f"{videos} videos ({'processing now' if process else 'the worker will process them'}), "
                f"{len(forum.topics)} topics in the forum"
            )
        if process:
            jobs.run_pending("media")
