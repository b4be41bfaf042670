"""Disputes that were lost took their whole amount. A step of its own, as PostgreSQL requires."""

from typing import Any

from django.db import migrations
from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce


def fill(apps: Any, schema_editor: Any) -> None:
    """Note what lost disputes took, and of which payments."""
    disputes = apps.get_model("billing", "Dispute").objects.filter(status="lost")
    disputes.update(lost=F("amount"))
    sums = disputes.filter(payment=OuterRef("pk")).order_by().values("payment").annotate(sum=Sum("lost")).values("sum")
    payments = apps.get_model("billing", "Payment").objects.filter(disputes__status="lost").distinct()
    for payment in payments.annotate(taken=Coalesce(Subquery(sums), 0)).iterator(500):
        payment.charged_back = payment.taken
        payment.save(update_fields=["charged_back"])


def name_closed(apps: Any, schema_editor: Any) -> None:
    """On the way back: a closed request has no state of its own."""
    apps.get_model("billing", "Refund").objects.filter(status="closed").update(status="declined")


class Migration(migrations.Migration):

    dependencies = [("billing", "0019_refunds_and_disputes")]

    operations = [migrations.RunPython(fill, name_closed)]
