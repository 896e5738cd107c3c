"""Kalends: an event calendar service that people host themselves."""

__version__ = "0.1.0"
