"""Update the search index."""

from apps.courses.models import Course, Right, SearchDocument
from studyplatform.kit.text import content
from studyplatform.kit.text.folding import index_text


def index_course(*, course_id: int) -> None:
    """Rebuild the course's search document. Call it in the transaction that changed the course."""
    course = Course.objects.select_related("subject", "instructor").filter(pk=course_id).first()
    if course is None:
        return
    parts = [*course.sections.values_list("title", flat=True), *course.lessons.values_list("title", flat=True)]
    people = [each.user.display_name for each in course.co_instructors.having(Right.TEACH).select_related("user")]
    terms = [course.subject.name, course.instructor.display_name, *people, *map(str, course.outcomes)]
    texts = {
        "title": course.title,
        "terms": "\n".join(terms),
        "lessons": "\n".join(parts),
        "body": f"{course.summary}\n{content.plain_text(course.description, content.DESCRIPTION)}",
    }
    document = SearchDocument(
        course=course, **{name: index_text(text, language=course.language) for name, text in texts.items()}
    )
    SearchDocument.objects.bulk_create(
        [document],
        update_conflicts=True,
        unique_fields=["course"],
        update_fields=["title", "terms", "lessons", "body"],
    )


def index_all() -> int:
    """Rebuild all search documents; return how many."""
    ids = list(Course.objects.values_list("pk", flat=True))
    for course_id in ids:
        index_course(course_id=course_id)
    return len(ids)
