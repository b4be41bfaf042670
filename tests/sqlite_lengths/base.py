"""SQLite that refuses texts that are too long for their column, as PostgreSQL does.

SQLite ignores the length of a column. Without this, a text that is too long passes all tests on SQLite and fails in
production.
"""

from django.db.backends.sqlite3 import base

# The field types of Django whose column has a length on PostgreSQL.
_TYPES_WITH_LENGTH = ("CharField", "FileField", "FilePathField", "SlugField")
_IS_SHORT_ENOUGH = 'length("%(column)s") <= %(max_length)s'


class DatabaseWrapper(base.DatabaseWrapper):
    data_type_check_constraints = {
        **base.DatabaseWrapper.data_type_check_constraints,
        **dict.fromkeys(_TYPES_WITH_LENGTH, _IS_SHORT_ENOUGH),
    }
