from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0003_names_of_sprt_tools")]

    operations = [
        migrations.RenameField("comparison", "next_turn", "next_virtual_start"),
        migrations.AlterField(
            "comparison",
            "next_virtual_start",
            models.FloatField(default=0.0, help_text="Virtual start time of its next match in the queue, in seconds."),
        ),
    ]
