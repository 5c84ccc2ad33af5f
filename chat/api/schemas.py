"""The shapes of answers, for the OpenAPI document. Further keys may be there: OpenAI's clients keep them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Open(BaseModel):
    """An object that may have more keys than are listed."""

    model_config = ConfigDict(extra="allow")


class ErrorObject(BaseModel):
    """What went wrong, in OpenAI's words."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """The body of every refusal."""

    error: ErrorObject


class MagisteriumCitation(BaseModel):
    """A source of an answer, the n-th of its footnotes: eight fields that Magisterium's clients know."""

    cited_text: str
    cited_text_heading: str | None = Field(description="The nearest heading above the cited text.")
    document_title: str | None
    document_index: int = Field(description="Counts from 0, while footnotes count from 1.")
    document_author: str | None
    document_year: str | None
    document_reference: str | None = Field(description="The document's reference number, else page or lines.")
    source_url: str


class UrlCitation(Open):
    """One footnote mark: its half-open range in code points, and what it stands for."""

    start_index: int
    end_index: int
    start_index_utf16: int = Field(description="The same in UTF-16 units, as JavaScript counts.")
    end_index_utf16: int
    title: str
    url: str = Field(description="The absolute address of the passage, or of the web page.")
    canonical_url: str
    citation_number: int
    document_index: int
    citation_id: str
    source_id: str
    vector_id: str
    cited_text: str


class ChatAnnotation(BaseModel):
    """A footnote mark of a chat message."""

    index: int
    type: Literal["url_citation"]
    url_citation: UrlCitation


class ChatAnswer(Open):
    """The answer's message."""

    role: Literal["assistant"]
    content: str | None
    refusal: str | None
    annotations: list[ChatAnnotation]


class ChatChoice(Open):
    """The one choice."""

    index: int
    finish_reason: Literal["stop", "length", "content_filter", "error"]
    message: ChatAnswer


class ChatUsage(Open):
    """Tokens as the model's provider counts them."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(Open):
    """An answer to a chat."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage
    citations: list[MagisteriumCitation]
    related_questions: list[str] = Field(default_factory=list, description="Only if asked for.")
    metadata: dict[str, str] = Field(default_factory=dict)


class ResponseUsage(Open):
    """Tokens as the model's provider counts them."""

    input_tokens: int
    output_tokens: int
    total_tokens: int


class ResponseObject(Open):
    """An answer to a response request. `output` has the search and the message, as OpenAI types them."""

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["completed", "incomplete", "failed", "cancelled", "in_progress"]
    model: str
    output: list[dict[str, Any]]
    usage: ResponseUsage | None
    citations: list[MagisteriumCitation]
    related_questions: list[str] = Field(default_factory=list, description="Only if asked for.")
    previous_response_id: str | None
    metadata: dict[str, str]


class Deleted(Open):
    """Something that is gone."""

    id: str
    object: str
    deleted: bool


class ModelObject(Open):
    """A model that the caller may use."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(BaseModel):
    """The models."""

    object: Literal["list"]
    data: list[ModelObject]


class CitationSchema(BaseModel):
    """A passage that answers or backs a case."""

    canonical_url: str | None
    case_index: int = Field(description="Which case, counted from 0; 0 for a stored answer.")
    chunk_text_preview: str | None
    relevance_score: float | None = Field(ge=0, le=1)
    section_heading: str | None
    source_id: str = Field(json_schema_extra={"format": "uuid"})
    source_title: str
    vector_id: str


class Listed(Open):
    """A part of a list."""

    object: Literal["list"]
    first_id: str | None
    last_id: str | None
    has_more: bool


class CitationList(Listed):
    """Citations in the order of the answer, or of the cases."""

    data: list[CitationSchema]


class FileObject(Open):
    """A file: a document, or one that is to become a document."""

    id: str
    object: Literal["file"]
    bytes: int
    created_at: int
    filename: str
    purpose: str
    status: Literal["uploaded", "processed", "error"]
    status_details: str | None
    vector_store_id: str | None = Field(description="The collection that the document stands in.")


class FileList(Listed):
    """Files."""

    data: list[FileObject]


class FileCounts(BaseModel):
    """How many files there are in each state."""

    in_progress: int
    completed: int
    failed: int
    cancelled: int
    total: int


class VectorStore(Open):
    """A collection."""

    id: str
    object: Literal["vector_store"]
    created_at: int
    name: str
    status: Literal["completed", "in_progress"]
    file_counts: FileCounts
    usage_bytes: int
    metadata: dict[str, str]
    restricted: bool


class VectorStoreList(Listed):
    """Collections."""

    data: list[VectorStore]


class VectorStoreFile(Open):
    """A document of a collection."""

    id: str
    object: Literal["vector_store.file"]
    created_at: int
    vector_store_id: str
    status: Literal["in_progress", "completed", "cancelled", "failed"]
    last_error: dict[str, str] | None
    usage_bytes: int
    attributes: dict[str, str]


class VectorStoreFileList(Listed):
    """Documents of a collection."""

    data: list[VectorStoreFile]


class FileBatch(Open):
    """Files that were put into a collection together."""

    id: str
    object: Literal["vector_store.files_batch"]
    created_at: int
    vector_store_id: str
    status: Literal["in_progress", "completed", "cancelled", "failed"]
    file_counts: FileCounts


class SearchContent(BaseModel):
    """The text of a result."""

    type: Literal["text"]
    text: str


class SearchResult(Open):
    """A passage that was found."""

    file_id: str
    filename: str
    score: float
    attributes: dict[str, str | int | float | bool]
    content: list[SearchContent]


class SearchPage(Open):
    """What was found, best first."""

    object: Literal["vector_store.search_results.page"]
    search_query: list[str]
    data: list[SearchResult]
    has_more: bool
    next_page: str | None


class FileContentPage(Open):
    """The text of a document."""

    object: Literal["vector_store.file_content.page"]
    data: list[SearchContent]
    has_more: bool
    next_page: str | None


class AuditRecordObject(Open):
    """An audit record as a list has it: what happened, who did it, and counts of a turn's citations."""

    id: str
    object: Literal["audit.record"]
    sequence: int = Field(description="Its place in the organisation's chain, from 1.")
    created_at: int
    kind: str
    actor_id: int | None
    actor_email: str
    summary: str
    turn_id: str | None
    model: str | None
    state: str | None
    verdict: str | None = Field(description="The worst of the turn's citations.")
    offered: int
    citations: int
    unsupported: int
    weak: int
    uncited: int
    rejected: dict[str, int] = Field(description="Rejected markers by reason.")
    cited_documents: list[str]
    total_ms: int | None


class AuditRecordList(Listed):
    """Audit records."""

    data: list[AuditRecordObject]


class ChainState(BaseModel):
    """Whether the record is unaltered and follows the one before it."""

    holds: bool
    text: str


class WholeAuditRecord(AuditRecordObject):
    """All of a record. `digest` = SHA-256 of `previous`, a newline and `body`."""

    previous: str
    digest: str
    signature: str
    body: str = Field(description="Canonical JSON, the very text that was hashed.")
    words: dict[str, str] = Field(
        description="Words of documents, which stand beside the chain; body has their SHA-256."
    )
    chain: ChainState
