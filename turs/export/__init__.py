"""A model in other forms: text, Markdown, spreadsheets, and Python and SQL that predict what the engine predicts."""
