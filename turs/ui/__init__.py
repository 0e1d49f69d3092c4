"""The browser application: what is drawn, and the state of a session."""
