from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def keep_ranks(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Let every entry with a rank keep it."""
    apps.get_model("ladders", "Entry").objects.filter(is_ranked=True).update(was_ranked=True)


class Migration(migrations.Migration):
    dependencies = [("ladders", "0001_release_0_1_0")]

    operations = [
        migrations.AddField(
            "entry",
            "was_ranked",
            models.BooleanField(default=False, help_text="Whether it has had a rank, which newcomers leave it."),
        ),
        migrations.RunPython(keep_ranks, migrations.RunPython.noop),
    ]
