"""Going back, take the ladders of groups away: a migration of its own, for PostgreSQL changes no table with rows deleted
in the same transaction."""

from django.db import migrations


def remove_ladders_of_groups(apps, schema_editor):
    """Before, every ladder was public: going back, those that only a group may see can't stay."""
    apps.get_model("ladders", "Ladder").objects.exclude(group=None).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('ladders', '0013_ladders_of_groups'),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, remove_ladders_of_groups),
    ]
