from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("django_shop", "0001_initial")]
    operations = [
        migrations.AlterField("author", "name", models.CharField(max_length=100)),
        migrations.AddField("author", "info", models.JSONField(default=dict)),
        migrations.AddField("book", "active", models.BooleanField(default=True)),
        migrations.AddIndex("book", models.Index(fields=["author", "price"], name="book_by_author")),
        migrations.AddConstraint(
            "book", models.CheckConstraint(condition=models.Q(("price__gte", 0)), name="price_not_negative")
        ),
    ]
