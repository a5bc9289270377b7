from django.db import migrations
from django.db.models import OuterRef, Subquery


def say_who_uploaded(apps, schema_editor):
    """Until now only its owner uploaded versions of a bot."""
    owners = apps.get_model("bots", "Bot").objects.filter(pk=OuterRef("bot"))
    apps.get_model("bots", "BotVersion").objects.update(uploaded_by=Subquery(owners.values("owner")))


class Migration(migrations.Migration):
    dependencies = [("bots", "0017_teams")]

    operations = [migrations.RunPython(say_who_uploaded, migrations.RunPython.noop)]
