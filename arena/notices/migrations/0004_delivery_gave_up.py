from django.db import migrations, models


def rename_state(old, new):
    def rename(apps, schema_editor):
        apps.get_model("notices", "Delivery").objects.filter(state=old).update(state=new)

    return rename


class Migration(migrations.Migration):
    dependencies = [("notices", "0003_messages_and_event_names")]

    operations = [
        migrations.AlterField(
            "delivery",
            "state",
            models.CharField(
                choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("gave_up", "Gave Up")],
                default="waiting",
                max_length=10,
            ),
        ),
        migrations.RunPython(rename_state("given up", "gave_up"), rename_state("gave_up", "given up")),
    ]
