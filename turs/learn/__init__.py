"""The learner: from a data set to a truly unordered rule set."""
