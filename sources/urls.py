"""Addresses of the sources pages and of single documents."""

from django.urls import path

from sources import document_views, views

app_name = "sources"

urlpatterns = [
    path("sources/", views.collections, name="collections"),
    path("sources/new/", views.new_collection, name="new_collection"),
    path("sources/upload/", views.upload, name="upload"),
    path("sources/upload/dismiss/", views.dismiss, name="dismiss"),
    path("sources/<uuid:collection_id>/", views.collection, name="collection"),
    path("d/<uuid:document_id>/", document_views.document, name="document"),
    path("d/<uuid:document_id>/pages/<int:number>.webp", document_views.image, name="page_image"),
    path("d/<uuid:document_id>/original", document_views.original, name="original"),
    path("d/<uuid:document_id>/retry/", document_views.retry, name="retry"),
    path("d/<uuid:document_id>/delete/", document_views.delete, name="delete"),
]
