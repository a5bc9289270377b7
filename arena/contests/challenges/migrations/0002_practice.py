import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("challenges", "0001_initial"),
        ("tournaments", "0009_decisions_and_co_organisers"),
    ]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="tournament",
            field=models.ForeignKey(
                help_text="The tournament by whose rules it is practice; null: of none.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="practice",
                to="tournaments.tournament",
            ),
        ),
    ]
