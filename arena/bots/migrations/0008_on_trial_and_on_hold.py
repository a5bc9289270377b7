from django.db import migrations, models


def rename_state(old, new):
    def rename(apps, schema_editor):
        apps.get_model("bots", "BotVersion").objects.filter(state=old).update(state=new)

    return rename


class Migration(migrations.Migration):
    dependencies = [("bots", "0007_reasons_as_messages")]

    operations = [
        migrations.RenameField("botversion", "is_held", "is_on_hold"),
        migrations.RenameField("botversion", "build_told_at", "build_published_at"),
        migrations.AlterField(
            "botversion",
            "state",
            models.CharField(
                choices=[
                    ("building", "Building"),
                    ("on_trial", "On Trial"),
                    ("accepted", "Accepted"),
                    ("rejected", "Rejected"),
                ],
                default="on_trial",
                max_length=10,
            ),
        ),
        migrations.RunPython(rename_state("checking", "on_trial"), rename_state("on_trial", "checking")),
    ]
