"""From a file to arrays: reading, kinds, binning, the read-only data set."""

from turs.data.binning import bin_levels, bin_numeric, candidate_cuts
from turs.data.dataset import DEFAULT_CUTS, DataSet, feature_values, labelled_data, learning_data, unlabelled_bins
from turs.data.encoding import paper_encoding
from turs.data.reading import Table, read_cells, read_table
from turs.data.splitting import stratified_split
from turs.data.texts import class_text, level_text
from turs.data.writing import check_ending, write_table

__all__ = [
    "DEFAULT_CUTS",
    "DataSet",
    "Table",
    "bin_levels",
    "bin_numeric",
    "candidate_cuts",
    "check_ending",
    "class_text",
    "feature_values",
    "labelled_data",
    "learning_data",
    "level_text",
    "paper_encoding",
    "read_cells",
    "read_table",
    "stratified_split",
    "unlabelled_bins",
    "write_table",
]
