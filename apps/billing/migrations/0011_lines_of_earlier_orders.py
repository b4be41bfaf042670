"""Earlier orders were for one course each: each gets its line. A step of its own, as PostgreSQL requires."""

from typing import Any

from django.db import migrations
from django.db.models import F

BATCH_SIZE = 500  # orders


def add_lines(apps: Any, schema_editor: Any) -> None:
    """Give each order without lines the line of its course, and the title that its payment was given."""
    orders = apps.get_model("billing", "Order").objects
    lines = apps.get_model("billing", "OrderLine").objects
    last = 0
    while batch := list(
        orders.filter(pk__gt=last, lines=None)
        .annotate(course_title=F("course__title"), paid_title=F("payment__title"))
        .order_by("pk")[:BATCH_SIZE]
    ):
        for order in batch:
            order.title = order.paid_title or order.course_title
        orders.bulk_update(batch, ["title"])
        lines.bulk_create(
            [
                lines.model(
                    order_id=order.pk,
                    position=0,
                    course_id=order.course_id,
                    title=order.title,
                    instructor_id=order.instructor_id,
                    share=order.share,
                    list_price=order.list_price,
                    discount=order.discount,
                    total=order.total,
                    tax=order.tax,
                )
                for order in batch
            ]
        )
        last = batch[-1].pk


def fill_orders(apps: Any, schema_editor: Any) -> None:
    """On the way back: an order names its course and instructor itself. Sales of several courses cannot go back."""
    orders = apps.get_model("billing", "Order").objects
    first_lines = apps.get_model("billing", "OrderLine").objects.filter(position=0)
    for line in first_lines.iterator(BATCH_SIZE):
        row = orders.filter(pk=line.order_id)
        row.update(course_id=line.course_id, instructor_id=line.instructor_id, share=line.share)


class Migration(migrations.Migration):

    dependencies = [("billing", "0010_order_lines")]

    operations = [migrations.RunPython(add_lines, fill_orders)]
