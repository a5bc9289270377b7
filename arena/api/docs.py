"""The description of the API as a page on which it can be tried."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def docs(request: HttpRequest) -> HttpResponse:
    """Swagger UI under the site's own strict policy: its scripts and styles are files of this site."""
    return render(request, "api/docs.html")
