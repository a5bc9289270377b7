"""Addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
    path("api/v1/", include("arena.api.urls")),
    path("", include("arena.pages.urls")),
]

handler500 = "arena.api.errors.server_error"
