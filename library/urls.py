"""Addresses of memory."""

from django.urls import path

from library import views

urlpatterns = [
    path("", views.memory, name="memory"),
    path("<int:pk>/", views.experience, name="experience"),
    path("<int:pk>/forget/", views.forget, name="experience-forget"),
]
