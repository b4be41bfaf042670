"""What each subscriber contributes to a month of Premium; of the months shared so far, all is in the last one."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, time, timedelta
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Max, Sum


def note_contributions(apps: Any, schema_editor: Any) -> None:
    """Write down what payments have earned until the last month that was shared, without what was refunded since."""
    months = apps.get_model("billing", "PremiumMonth").objects
    payments = apps.get_model("billing", "Payment").objects.filter(kind="premium")
    contributions = apps.get_model("billing", "PremiumContribution").objects
    lines = apps.get_model("billing", "LedgerLine").objects.filter(account__code="premium")
    paid = lines.exclude(entry__kind="premium_share").order_by().values_list("currency", "entry__payment_key")
    net: dict[str, dict[str, int]] = defaultdict(dict)
    for currency, key, amount in paid.annotate(Sum("amount")):
        net[currency][key] = -amount
    for currency, last in months.order_by().values_list("currency").annotate(Max("month")):
        end = (datetime.combine(last, time(0), tzinfo=UTC) + timedelta(days=32)).replace(day=1)
        amounts = Counter[int]()
        for payment in payments.filter(currency=currency).iterator():
            start = payment.period_start or payment.paid_at
            whole = int((max(payment.period_end or start, start) - start).total_seconds())
            passed = max(0, int((end - start).total_seconds()))
            amount = net[currency].get(payment.gateway_id, 0)
            amounts[payment.user_id] += amount if passed >= whole else amount * passed // whole
        month = months.get(currency=currency, month=last)
        contributions.bulk_create(
            [
                contributions.model(shared=month, user_id=user, amount=amount)
                for user, amount in amounts.items()
                if amount > 0
            ],
            batch_size=1000,
        )


class Migration(migrations.Migration):

    dependencies = [
        ("billing", "0023_teams"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="premiummonth",
            name="pool",
            field=models.BigIntegerField(default=0, help_text="What was shared, in minor units: negative if more was refunded of earlier months."),
        ),
        migrations.CreateModel(
            name="PremiumContribution",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("amount", models.PositiveBigIntegerField(help_text="Without tax, in minor units.")),
                ("shared", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="contributions", to="billing.premiummonth")),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="premium_contributions", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("shared", "user"), name="one_premium_contribution_per_month")],
            },
        ),
        migrations.RunPython(note_contributions, migrations.RunPython.noop),
    ]
