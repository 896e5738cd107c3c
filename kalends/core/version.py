"""The version of the service."""

__version__ = "0.2.0.dev0"
