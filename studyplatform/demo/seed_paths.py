"""The learning paths of the demo, through the services of courses."""

from datetime import datetime, timedelta

import yaml
from django.db import transaction

from apps.accounts.models import Role, User
from apps.courses import services as courses
from apps.courses.models import Course, LearningPath
from apps.courses.services import PathTexts
from studyplatform.demo.library import CONTENT, READER


def seed_paths(now: datetime) -> None:
    """Write those that do not exist yet: by title and owner."""
    admin = User.objects.filter(role=Role.ADMIN).order_by("pk").first()
    for text in yaml.load((CONTENT / "paths.yaml").read_text("utf-8"), Loader=READER):  # noqa: S506 (a safe loader)
        owner = User.objects.filter(email=text["owner"]).first()
        if owner is None or LearningPath.objects.owned_by(owner.pk).filter(title=text["title"]).exists():
            continue
        at = now - timedelta(days=text["days_ago"])
        found = {course.slug: course for course in Course.objects.filter(slug__in=text["courses"])}
        if len(found) < len(text["courses"]):  # somebody deleted one of them
            continue
        texts = PathTexts(title=text["title"], summary=text["summary"], description=text["description"])
        with transaction.atomic():
            path = courses.create_path(by=owner, texts=texts, now=at)
            for slug in text["courses"]:
                # An archived course cannot be added; this one was archived while it was part of the path.
                if found[slug].status != Course.Status.ARCHIVED:
                    courses.add_path_course(path=path, by=admin or owner, course=found[slug], now=at)
                else:
                    path.places.create(course=found[slug], position=path.places.count() + 1)
            courses.publish_path(path=path, by=owner, now=at)
