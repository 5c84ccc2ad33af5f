"""Addresses of the sources pages, of single documents, and of the organisation's people."""

from django.urls import path

from sources import (
    collection_views,
    curation_views,
    document_views,
    group_views,
    member_views,
    trash_views,
    upload_views,
    views,
)

app_name = "sources"

urlpatterns = [
    path("sources/", views.collections, name="collections"),
    path("sources/new/", collection_views.new_collection, name="new_collection"),
    path("sources/upload/", upload_views.upload, name="upload"),
    path("sources/batch/<uuid:batch_id>/", upload_views.batch, name="batch"),
    path("sources/batch/<uuid:batch_id>/<int:item_id>/copy/", upload_views.keep_copy, name="keep_copy"),
    path("sources/progress/", views.progress, name="progress"),
    path("sources/retry/", upload_views.retry_failed, name="retry_failed"),
    path("sources/bulk/", curation_views.bulk, name="bulk"),
    path("sources/deleted/", curation_views.deleted, name="deleted"),
    path("sources/deleted/purge/", trash_views.purge_chosen, name="purge_chosen"),
    path("sources/deleted/<uuid:removed_id>/restore/", curation_views.restore, name="restore"),
    path("sources/deleted/<uuid:removed_id>/purge/", curation_views.purge, name="purge"),
    path("sources/<uuid:collection_id>/", views.collection, name="collection"),
    path("sources/<uuid:collection_id>/access/", collection_views.access, name="access"),
    path("d/<uuid:document_id>/", document_views.document, name="document"),
    path("d/<uuid:document_id>/pages/<int:number>.webp", document_views.image, name="page_image"),
    path("d/<uuid:document_id>/original", document_views.original, name="original"),
    path("d/<uuid:document_id>/details/", curation_views.details, name="details"),
    path("d/<uuid:document_id>/replace/", upload_views.replace, name="replace"),
    path("d/<uuid:document_id>/upload/", upload_views.act, name="act"),
    path("d/<uuid:document_id>/retry/", document_views.retry, name="retry"),
    path("d/<uuid:document_id>/delete/", document_views.delete, name="delete"),
    path("people/", member_views.members, name="members"),
    path("people/<int:user_id>/", member_views.member, name="member"),
    path("groups/", group_views.groups, name="groups"),
    path("groups/<int:group_id>/", group_views.group, name="group"),
]
