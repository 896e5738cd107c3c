"""The version of the service."""

__version__ = "1.0.0"
