"""Answers that are kept for those who ask again."""
