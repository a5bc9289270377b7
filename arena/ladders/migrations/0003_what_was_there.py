from hashlib import sha256
from secrets import token_hex

from django.db import migrations


def carry_over(apps, schema_editor):
    """Each ladder gets a secret of its own. Matches made before have no number: their deals didn't come from it."""
    ladders, entries, ladder_matches = (apps.get_model("ladders", name) for name in ("Ladder", "Entry", "LadderMatch"))
    for ladder in ladders.objects.all():
        ladder.secret = token_hex(32)
        ladder.commitment = sha256(ladder.secret.encode()).hexdigest()
        latest = ladder_matches.objects.filter(ladder=ladder).exclude(sequence=None).order_by("-sequence").first()
        ladder.last_sequence = latest.sequence if latest else 0
        ladder.save()
    entries.objects.filter(active=False).update(state="retired")
    ladder_matches.objects.exclude(sequence=None).update(in_flight=False)
    ladder_matches.objects.filter(match__state="void").update(in_flight=False)


class Migration(migrations.Migration):
    dependencies = [("ladders", "0002_seasons_and_fits")]

    operations = [migrations.RunPython(carry_over, migrations.RunPython.noop)]
