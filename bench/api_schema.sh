#!/usr/bin/env bash
# Schemathesis over the OpenAPI document of a running server: BASE_URL=http://…/v1 API_KEY=… bench/api_schema.sh [schemathesis]
# Use a throw-away tenant: it makes and deletes things.
set -euo pipefail
exec "${1:-schemathesis}" run "$BASE_URL/openapi.json" --header "Authorization: Bearer $API_KEY" --max-examples "${EXAMPLES:-30}" \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method,ignored_auth \
  --request-timeout 30 --max-failures 20 --workers 1
