import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("bots", "0003_sources_to_blobs")]

    operations = [
        migrations.AlterField(
            model_name="botversion",
            name="source",
            field=models.ForeignKey(
                help_text="The files as they were uploaded.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="bots.blob",
            ),
        ),
        migrations.RemoveField(model_name="botversion", name="content"),
        migrations.RemoveField(model_name="botversion", name="sha256"),
    ]
