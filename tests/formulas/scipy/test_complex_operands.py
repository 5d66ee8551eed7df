"""The formulas of SciPy that hold for complex numbers as they stand, and those that are refused."""

import numpy as np
from scipy import integrate, linalg, ndimage, signal, sparse
from scipy.sparse import linalg as sparse_linalg
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, invertible, normal

for part in ("linalg", "signal", "ndimage", "integrate", "sparse.linalg"):
    load(f"scipy.{part}")

MATRIX = invertible(3, 3) + 0.5j * normal(3, 3)
SMALL = MATRIX / 9
VECTOR, PICTURE = normal(5) + 1j * normal(5)[::-1], normal(4, 5) + 1j * normal(5, 4).T
WEIGHTS = normal(3) + 0.5j
SPARSE = sparse.csr_array(MATRIX)

CASES = [
    *(case(fn, MATRIX) for fn in (linalg.inv, linalg.det, linalg.lu)),
    *(case(fn, SMALL) for fn in (linalg.expm, linalg.cosm, linalg.sinm, linalg.tanm)),
    *(case(fn, SMALL) for fn in (linalg.coshm, linalg.sinhm, linalg.tanhm)),
    case(linalg.solve_triangular, MATRIX, WEIGHTS),
    case(linalg.solve_triangular, MATRIX, WEIGHTS, trans=1, lower=True),
    case(linalg.solve_banded, (1, 1), MATRIX, WEIGHTS),
    case(linalg.solve_sylvester, MATRIX, SMALL, MATRIX.T),
    case(linalg.hankel, WEIGHTS, VECTOR),
    case(linalg.circulant, WEIGHTS),
    case(linalg.block_diag, MATRIX, PICTURE),
    *(case(fn, VECTOR, WEIGHTS) for fn in (signal.convolve, signal.fftconvolve)),
    case(signal.oaconvolve, VECTOR, WEIGHTS),
    case(signal.lfilter, WEIGHTS, np.array([1.0, 0.3j]), VECTOR),
    *(case(fn, VECTOR) for fn in (integrate.trapezoid, integrate.simpson)),
    case(ndimage.convolve, PICTURE, PICTURE[:2, :3]),
    case(ndimage.convolve1d, PICTURE, WEIGHTS),
    case(ndimage.gaussian_filter, PICTURE, 0.7),
    case(ndimage.uniform_filter, PICTURE, 3),
    *(case(fn, PICTURE) for fn in (ndimage.sobel, ndimage.prewitt, ndimage.laplace)),
    case(sparse_linalg.spsolve, SPARSE.tocsc(), WEIGHTS),
]

test_formula = formula_test(CASES)
