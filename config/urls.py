from django.contrib import admin
from django.urls import include, path

from config.admin_sign_in import CountedAuthenticationForm

admin.autodiscover()
admin.site.login_form = CountedAuthenticationForm
handler500 = "config.requests.say_what_failed"
urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("config.api.urls")),
    path("", include("marketplace.urls")),
    path("", include("studies.urls")),
]
