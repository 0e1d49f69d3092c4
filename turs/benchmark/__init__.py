"""The paper's experiments on a folder of data sets, beside other learners."""
