"""The words of records on pages: kinds, ends, verdicts, reasons."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.models import TurnState

Words = dict[str, str | Promise]

KINDS: Words = {
    "conversation_shared": _("Conversation shared"),
    "share_read": _("Shared conversation read"),
    "answer_exported": _("Answer exported"),
    "passages_found": _("Passages found by a search"),
    "share_revoked": _("Link to a conversation revoked"),
    "conversation_deleted": _("Conversation deleted"),
    "collection_created": _("Collection created"),
    "collection_renamed": _("Collection renamed"),
    "collection_restricted": _("Collection restricted"),
    "collection_opened": _("Collection opened to all"),
    "collection_deleted": _("Collection deleted"),
    "grant_given": _("Access given"),
    "grant_taken": _("Access taken"),
    "member_added": _("Member added"),
    "member_roles": _("Roles changed"),
    "member_removed": _("Member removed"),
    "group_created": _("Group created"),
    "group_renamed": _("Group renamed"),
    "group_deleted": _("Group deleted"),
    "group_joined": _("Joined a group"),
    "group_left": _("Left a group"),
    "changed_by_staff": _("Changed in the admin site"),
    "uploaded": _("Document uploaded"),
    "upload_decided": _("Upload decided"),
    "upload_discarded": _("Upload discarded"),
    "upload_cancelled": _("Upload cancelled"),
    "upload_retried": _("Upload tried again"),
    "document_edited": _("Document details changed"),
    "document_moved": _("Document moved"),
    "document_deleted": _("Document deleted"),
    "document_restored": _("Document restored"),
    "purge_ordered": _("Purge ordered"),
    "document_purged": _("Document purged"),
    "key_issued": _("API key issued"),
    "key_revoked": _("API key revoked"),
    "passage_opened": _("Passage opened"),
    "document_opened": _("Document opened"),
    "original_downloaded": _("Original downloaded"),
    "access_refused": _("Access refused"),
    "audit_listed": _("Audit listed"),
    "audit_read": _("Audit record read"),
    "audit_document_read": _("Audit of a document read"),
    "audit_export_begun": _("Audit export begun"),
    "audit_export_stopped": _("Audit export broken off: the right to it was taken"),
    "audit_exported": _("Audit exported"),
    "audit_reason": _("Reason for looking into the audit"),
    "quality_read": _("Quality dashboard read"),
}

STATES: Words = {
    state.value: state.label
    for state in TurnState
    if state != TurnState.RUNNING  # a record is of an ended turn
}

VERDICTS: Words = {
    "unsupported": _("Not borne out"),
    "weak": _("Borne out in part"),
    "supported": _("Borne out"),
    "unchecked": _("Not checked"),
}

REASONS: Words = {
    "unknown_id": _("names no source that was offered"),
    "hosted_id_of_other_response": _("names a source of another answer"),
    "unknown_family": _("is of an unknown kind"),
    "malformed": _("is malformed"),
    "cut_off": _("was cut off"),
    "stray_delimiter": _("is a stray sign"),
    "footnote_definition": _("is the text of a footnote"),
    "locator_unusable": _("names lines that can't be read"),
    "hosted_file_not_ours": _("names a file that is not ours to show"),
    "locator_outside_block": _("names lines outside its source"),
    "forged_in_document": _("stands in a document's text"),
    "forged_by_user": _("stands in the question"),
    "no_longer_permitted": _("names a source that is not permitted any more"),
    "repeated_here": _("is repeated at the same place"),
}

TURN_KIND = _("Question")


# How a turn was asked for.
WAYS: Words = {"page": _("On the page"), "api": _("API"), "command": _("Command of the operator")}


def kind_words(kind: str) -> str:
    """Return what a record is, in words; an unknown kind as it is written."""
    return str(TURN_KIND if kind == "turn" else KINDS.get(kind, kind))
