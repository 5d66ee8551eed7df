"""Which of SciPy's functions tell whether something is a sparse matrix."""

from scipy import sparse
from srcgrad.formulas.scipy import named

from srcgrad.registry import class_tests

class_tests(
    *named(
        sparse,
        "issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr "
        "isspmatrix_dia isspmatrix_dok isspmatrix_lil",
    ),
)
