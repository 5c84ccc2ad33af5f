"""/v1/models."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from chat.api.caller import ApiKeyAuth, caller_of
from chat.api.citation_objects import Json
from chat.api.errors import ApiError
from chat.api.schemas import ModelList, ModelObject
from chat.model_choice import models_for
from chat.providers.base import ModelSettings
from chat.providers.registry import QUOTE_MODEL

router = Router(tags=["Models"], auth=ApiKeyAuth())

# Models are configured, not made; the clients want a number.
_CREATED = 1_764_547_200


@router.get("", summary="List the models", operation_id="listModels", response=ModelList)
def list_models(request: HttpRequest) -> HttpResponse:
    """List the models that the caller may use, the default one first."""
    return JsonResponse({"object": "list", "data": list(map(_model, models_for(caller_of(request).tenant)))})


@router.get("/{path:model}", summary="Describe a model", operation_id="getModel", response=ModelObject)
def get_model(request: HttpRequest, model: str) -> HttpResponse:
    """Return one of the models that the caller may use."""
    found = next((one for one in models_for(caller_of(request).tenant) if one.name == model), None)
    if found is None:
        message = f"The model '{model}' does not exist or you do not have access to it."
        raise ApiError(404, message, param="model", code="model_not_found")
    return JsonResponse(_model(found))


def _model(model: ModelSettings) -> Json:
    owner = "citeweb" if model.name == QUOTE_MODEL else "organization-owner"
    return {"id": model.name, "object": "model", "created": _CREATED, "owned_by": owner, "label": model.label}
