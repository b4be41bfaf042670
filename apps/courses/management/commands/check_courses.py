"""``manage.py check_courses [slug ...]``: findings of courses; the exit status is 1 if something is required."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.courses.models import Course
from apps.courses.queries.findings import find_all
from apps.courses.services import check_links


class Command(BaseCommand):
    help = "Print the findings of courses: of those named, otherwise of all that are published or under review."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="slug")
        parser.add_argument("--links", action="store_true", help="Check the links to other sites that are due first.")

    def handle(self, *, slugs: list[str], links: bool, **options: Any) -> None:
        courses = Course.objects.order_by("slug")
        if slugs:
            courses = courses.filter(slug__in=slugs)
            if unknown := sorted(set(slugs) - set(courses.values_list("slug", flat=True))):
                raise CommandError(f"There is no course {', '.join(unknown)}.")
        else:
            courses = courses.filter(status__in=[Course.Status.PUBLISHED, Course.Status.REVIEW])
        required = advice = 0
        for course in courses.iterator():
            if links:
                check_links(course=course, now=timezone.now())
            for one in find_all(course):
                if one.is_ignored:
                    continue
                required += one.is_required
                advice += not one.is_required
                severity = "required" if one.is_required else "advice"
                where = ": ".join(filter(None, [course.slug, one.lesson]))
                self.stdout.write(f"{severity}  {where}: {one.title}. {one.message}")
        self.stdout.write(f"{required} required, {advice} recommended")
        if required:
            raise SystemExit(1)
