"""Rows and rules: covers, patterns and their class counts."""
