"""The search reads words that the product makes, in every script. Documents of earlier versions are written again."""

from django.db import migrations

from studyplatform.kit.text.folding import index_text


def index_again(apps, schema_editor):
    Course, SearchDocument = (apps.get_model("courses", name) for name in ("Course", "SearchDocument"))
    known = set(SearchDocument.objects.values_list("course", flat=True))
    for course in Course.objects.select_related("subject", "instructor").iterator(chunk_size=200):
        if course.pk not in known:
            continue
        teacher = course.instructor
        name = f"{teacher.first_name} {teacher.last_name}".strip() or teacher.username or teacher.email
        parts = [*course.sections.values_list("title", flat=True), *course.lessons.values_list("title", flat=True)]
        texts = {
            "title": course.title,
            "terms": "\n".join([course.subject.name, name, *map(str, course.outcomes)]),
            "lessons": "\n".join(parts),
            "body": f"{course.summary}\n{course.description}",
        }
        SearchDocument.objects.filter(course=course).update(
            **{field: index_text(text, language=course.language) for field, text in texts.items()}
        )


class Migration(migrations.Migration):
    dependencies = [("courses", "0015_forgive_accents_as_before")]

    operations = [migrations.RunPython(index_again, migrations.RunPython.noop)]
