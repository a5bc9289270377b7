"""Addresses of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

# Staff signs in on the site's own page, where wrong passwords are counted and a second factor is asked for.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("api/v1/", include("arena.api.urls")),
    path("", include("arena.pages.urls")),
]

handler500 = "arena.api.errors.server_error"
