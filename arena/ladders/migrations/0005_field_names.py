"""Rename columns and the table of collusion reports to the field's terms."""

from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    dependencies = [("ladders", "0004_one_of_each")]

    operations = [
        migrations.RemoveIndex("entry", "entry_standing"),
        migrations.RenameField("ladder", "phi", "dispersion"),
        migrations.RenameField("ladder", "intransitivity", "pair_interaction_sd"),
        migrations.AlterField(
            "ladder",
            "pair_interaction_sd",
            models.FloatField(null=True, help_text="Elo by which results of pairs differ from their ratings."),
        ),
        migrations.RenameField("fit", "phi", "dispersion"),
        migrations.RenameField("fit", "intransitivity", "pair_interaction_sd"),
        migrations.RenameField("entry", "rank_best", "rank_low"),
        migrations.RenameField("entry", "rank_worst", "rank_high"),
        migrations.RenameField("entry", "is_settled", "is_ranked"),
        migrations.AddIndex(
            "entry",
            models.Index(
                "ladder", "state", F("is_ranked").desc(), F("rating").desc(), "deviation", "id", name="entry_standing"
            ),
        ),
        migrations.RenameModel("Suspicion", "CollusionReport"),
        migrations.AlterField(
            "collusionreport",
            "entry",
            models.ForeignKey("ladders.entry", models.CASCADE, related_name="collusion_reports"),
        ),
    ]
