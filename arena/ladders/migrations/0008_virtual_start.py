from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("ladders", "0007_help_texts")]

    operations = [
        migrations.RenameField("ladder", "next_turn", "next_virtual_start"),
    ]
