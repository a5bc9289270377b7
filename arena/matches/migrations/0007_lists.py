from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0006_legs_underway")]

    operations = [
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["game", "edition", "-id"], name="match_newest_of_edition"),
        ),
        migrations.AddIndex(
            model_name="legseat",
            index=models.Index(condition=~models.Q(verdict="ok"), fields=["participant"], name="seats_at_fault"),
        ),
    ]
