"""From a file to arrays: reading, kinds, binning, the read-only data set."""

from turs.data.binning import bin_levels, bin_numeric, candidate_cuts
from turs.data.dataset import DEFAULT_CUTS, DataSet, labelled_data, learning_data, unlabelled_bins
from turs.data.encoding import paper_encoding
from turs.data.reading import Table, read_table
from turs.data.texts import class_text, level_text

__all__ = [
    "DEFAULT_CUTS",
    "DataSet",
    "Table",
    "bin_levels",
    "bin_numeric",
    "candidate_cuts",
    "class_text",
    "labelled_data",
    "learning_data",
    "level_text",
    "paper_encoding",
    "read_table",
    "unlabelled_bins",
]
