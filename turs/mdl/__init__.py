"""Bits: logarithms, regret, codes and the MDL score."""
