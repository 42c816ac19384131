"""Addresses of memory."""

from django.urls import path

from library import views

urlpatterns = [
    path("", views.memory, name="memory"),
    path("ask/", views.ask, name="memory-ask"),
    path("export/", views.export, name="memory-export"),
    path("merge/", views.merge, name="memory-merge"),
    path("<int:pk>/part/", views.part, name="experience-part"),
    path("<int:pk>/rate/", views.rate, name="experience-rate"),
    path("<int:pk>/", views.experience, name="experience"),
    path("<int:pk>/forget/", views.forget, name="experience-forget"),
]
