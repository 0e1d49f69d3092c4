"""How good a rule set is, and whether it is truly unordered."""
