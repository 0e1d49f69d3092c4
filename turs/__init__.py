"""Learn, score, read and edit probabilistic truly unordered rule sets."""
