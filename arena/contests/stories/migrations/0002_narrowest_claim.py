from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("stories", "0001_initial")]

    operations = [
        migrations.AlterField(
            "story",
            "kind",
            models.CharField(
                choices=[
                    ("match of the day", "Match Of The Day"),
                    ("upset", "Upset"),
                    ("longest", "Longest"),
                    ("narrowest claim", "Narrowest Claim"),
                    ("climber", "Climber"),
                    ("rivalry", "Rivalry"),
                ],
                max_length=20,
            ),
        ),
    ]
