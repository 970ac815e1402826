"""The environment in which Alembic runs revisions: the connection that `migrate` has."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
