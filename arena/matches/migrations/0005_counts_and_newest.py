from django.db import migrations, models
from django.db.models import Count


def count_what_was_played(apps, schema_editor):
    counts, seats = apps.get_model("matches", "VerdictCount"), apps.get_model("matches", "LegSeat")
    rows = seats.objects.order_by().values("participant__version", "verdict").annotate(legs=Count("pk"))
    counts.objects.bulk_create(
        (
            counts(version_id=row["participant__version"], verdict=row["verdict"], legs=row["legs"])
            for row in rows.iterator()
        ),
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [("matches", "0004_turns_and_counts")]

    operations = [
        migrations.AddIndex(
            model_name="participant",
            index=models.Index(fields=["version", "-match"], name="participations_newest"),
        ),
        migrations.RunPython(count_what_was_played, migrations.RunPython.noop),
    ]
