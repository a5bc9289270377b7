from itertools import count
from zlib import crc32

from django.db import migrations, models

DRAWINGS = 56


def tell_apart(apps, schema_editor):
    """Give each bot whose crest another bot of its game had first the next crest that is free."""
    bots = apps.get_model("bots", "Bot")
    taken, changed = {}, []
    for bot in bots.objects.order_by("pk").only("pk", "slug", "game"):
        own, known = crc32(bot.slug.encode()), taken.setdefault(bot.game, set())
        for difference in count():
            key = (own + difference) % DRAWINGS, difference // DRAWINGS
            if key not in known:
                break
        known.add(key)
        if difference:
            bot.crest_difference = difference
            changed.append(bot)
    bots.objects.bulk_update(changed, ["crest_difference"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("bots", "0010_token_prefix")]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="crest_difference",
            field=models.PositiveIntegerField(default=0, help_text="Tells its crest apart from others of its game."),
        ),
        migrations.RunPython(tell_apart, migrations.RunPython.noop),
    ]
