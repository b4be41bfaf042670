"""``manage.py index_tutor``: index the published courses for the tutor now instead of in the background."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from tqdm import tqdm

from apps.courses.models import Course
from apps.tutor.services.indexing import index_course


class Command(BaseCommand):
    help = "Index all published courses for the tutor. What is up to date stays as it is."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        ids = list(Course.objects.filter(published_at__isnull=False).values_list("pk", flat=True))
        shown = verbosity > 0 and self.stdout.isatty()
        with tqdm(ids, disable=not shown, file=self.stdout, unit=" courses", leave=False, ncols=78) as bar:
            count = sum(index_course(course_id=course_id, now=timezone.now()) for course_id in bar)
        if verbosity > 0:
            self.stdout.write(f"{len(ids)} courses, {count} passages")
