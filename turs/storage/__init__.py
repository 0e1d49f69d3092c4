"""Workspaces that survive: one store in SQLite or PostgreSQL for tables, models and every edit."""

from turs.storage.records import (
    Contents,
    DataSetRecord,
    Item,
    Learning,
    Line,
    ModelRecord,
    Opening,
    Preparation,
    Problem,
    SessionRecord,
    Workspace,
    step_text,
)
from turs.storage.session import StoredSession
from turs.storage.split import Split, split_rows
from turs.storage.store import Store

__all__ = [
    "Contents",
    "DataSetRecord",
    "Item",
    "Learning",
    "Line",
    "ModelRecord",
    "Opening",
    "Preparation",
    "Problem",
    "SessionRecord",
    "Split",
    "Store",
    "StoredSession",
    "Workspace",
    "split_rows",
    "step_text",
]
