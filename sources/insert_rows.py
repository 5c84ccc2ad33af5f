"""Many new rows in few statements: for chunks by the thousand, twice as fast as Django's `bulk_create`.

That prepares every value of every row in Python; here each statement has one parameter, the rows as JSON, which
PostgreSQL reads with `json_to_recordset`. Row policies, constraints and foreign keys hold as for any INSERT.
"""

import json
from collections.abc import Sequence

from django.db import connection, models

_ROWS_AT_ONCE = 500


def insert_rows(rows: Sequence[models.Model]) -> None:
    """Insert unsaved rows of one model, whose key the database gives; the objects don't learn it.

    Their values must be what JSON can say, or what `str` makes a literal of their column's type.
    """
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        _insert(rows[begin : begin + _ROWS_AT_ONCE])


def _insert(rows: Sequence[models.Model]) -> None:
    meta, quote = rows[0]._meta, connection.ops.quote_name
    fields = {str(field.column): field for field in meta.concrete_fields if not field.primary_key}
    columns = ", ".join(map(quote, fields))
    types = ", ".join(f"{quote(column)} {field.db_type(connection)}" for column, field in fields.items())
    values = [{column: getattr(row, field.attname) for column, field in fields.items()} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(meta.db_table)} ({columns})"
            f" SELECT {columns} FROM json_to_recordset(%s::json) AS given({types})",
            [json.dumps(values, ensure_ascii=False, default=str)],
        )
