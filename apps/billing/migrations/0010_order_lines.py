import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import studyplatform.kit.names
from studyplatform.kit.db.way_back import refuses_way_back


class Migration(migrations.Migration):

    dependencies = [
        ("billing", "0009_payout_destinations"),
        ("courses", "0011_lessons_share_files"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="order",
            name="title",
            field=studyplatform.kit.names.NameField(
                default="", help_text="What is bought, as it was called then.", max_length=160
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="order",
            name="course",
            field=models.ForeignKey(
                help_text="Empty for several courses.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="orders",
                to="courses.course",
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="instructor",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="orders_received",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="order",
            name="share",
            field=models.PositiveIntegerField(
                default=0, help_text="The instructor's share in hundredths of a percent."
            ),
        ),
        migrations.CreateModel(
            name="OrderLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "position",
                    models.PositiveSmallIntegerField(help_text="From 0. The item of its entry in the ledger."),
                ),
                (
                    "title",
                    studyplatform.kit.names.NameField(help_text="What the course was called then.", max_length=160),
                ),
                (
                    "share",
                    models.PositiveIntegerField(help_text="The instructor's share in hundredths of a percent."),
                ),
                ("list_price", models.PositiveIntegerField()),
                ("discount", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(help_text="What is charged, with tax.")),
                ("tax", models.PositiveIntegerField(default=0, help_text="The tax included in the total.")),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="order_lines", to="courses.course"
                    ),
                ),
                (
                    "instructor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="order_lines_received",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "order",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lines",
                        to="billing.order",
                    ),
                ),
            ],
            options={"ordering": ["position"]},
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.UniqueConstraint(fields=("order", "position"), name="one_order_line_per_position"),
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.UniqueConstraint(fields=("order", "course"), name="one_order_line_per_course"),
        ),
        migrations.AddConstraint(
            model_name="orderline",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("tax__lte", models.F("total")),
                    ("total", models.F("list_price") - models.F("discount")),
                ),
                name="order_line_adds_up",
            ),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="item",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="Which line of the order, from 0: a payment of several courses has an entry for each.",
            ),
        ),
        migrations.RemoveConstraint(model_name="ledgerentry", name="one_entry_per_payment"),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ["sale", "subscription"])),
                fields=("payment_key", "item"),
                name="one_entry_per_payment_and_item",
            ),
        ),
        refuses_way_back("sales of several courses", "billing", "OrderLine", lambda rows: rows.filter(position=1)),
    ]
