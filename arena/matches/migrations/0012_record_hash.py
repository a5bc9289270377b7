import json
import zlib

from django.db import migrations, models

from engine.record_hash import record_hash

LEGS_PER_BATCH = 500


def hash_records(apps, schema_editor):
    Leg = apps.get_model("matches", "Leg")
    finished = Leg.objects.exclude(record=None).order_by("pk")
    last = 0
    while legs := list(finished.filter(pk__gt=last).only("record")[:LEGS_PER_BATCH]):
        for leg in legs:
            leg.record_hash = record_hash(json.loads(zlib.decompress(leg.record)))
        Leg.objects.bulk_update(legs, ["record_hash"])
        last = legs[-1].pk


class Migration(migrations.Migration):
    dependencies = [("matches", "0011_worker_hint_messages")]

    operations = [
        migrations.AddField(
            "leg",
            "record_hash",
            models.CharField(
                blank=True,
                default="",
                help_text="Hash that binds the record (engine/record_hash.py); empty until finished.",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(hash_records, migrations.RunPython.noop),
    ]
