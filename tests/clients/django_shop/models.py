"""Authors and their books."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=100)
    info = models.JSONField(default=dict)


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    title = models.CharField(max_length=100, unique=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    created = models.DateTimeField(auto_now_add=True)
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(price__gte=0), name="price_not_negative")]
        indexes = [models.Index(fields=["author", "price"], name="book_by_author")]
