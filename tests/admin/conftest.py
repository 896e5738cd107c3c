"""A site of its own for each test: how people register is a setting of the whole site."""

from tests.site.conftest import admin, site

__all__ = ["admin", "site"]
