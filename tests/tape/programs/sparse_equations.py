"""Programs that solve with sparse matrices, and combine constant ones with what is differentiated."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

C = sparse.csr_matrix(np.arange(9.0).reshape(3, 3) % 4 + 1)
B0 = np.array([1., -2., .5])
def mat(v, kind="csc"):
    return sparse.diags([v + 3, -v[1:], -v[:-1] * .5], [0, 1, -1], format=kind)
def lu(x):
    f = linalg.splu(mat(x))
    return f.solve(x ** 2) @ B0 + np.sum(f.solve(B0, "T") ** 2) + np.sum(f.solve(np.outer(x, B0)[:, :2]))
def lu_const(x):
    f = linalg.splu(sparse.csc_matrix(mat(np.ones(3))))
    return f.solve(x ** 2) @ x + np.sum(f.solve(np.outer(x, x), trans="T") ** 2)
OUT = linalg.splu(sparse.csc_matrix(np.diag([2., 3., 4.]) + 1))
FAC = linalg.factorized(sparse.csc_matrix(np.diag([2., 3., 4.]) + 1))
def lu_outside(x):
    return OUT.solve(x ** 2) @ x + FAC(x * x) @ B0
def factorized(x):
    f = linalg.factorized(mat(x))
    y = f(x)
    for _ in range(2): y = f(y * y)
    return y @ B0
def factorized_const(x):
    f = linalg.factorized(sparse.csc_matrix(mat(np.ones(3))))
    return f(x * x) @ x
def cg(x):
    A = mat(x); A = (A + A.T).tocsr()
    y, info = linalg.cg(A, x ** 2, rtol=1e-13)
    return y @ B0 + info
def gmres(x):
    y, info = linalg.gmres(mat(x, "csr"), B0 * x[0], rtol=1e-13, atol=0.0)
    return np.sum(y ** 2)
def gmres_dense(x):
    y, info = linalg.gmres(np.diag(x + 3) + np.outer(B0, x) * .1, x, rtol=1e-13)
    return np.sum(y ** 2)
def bicgstab(x):
    A = mat(x, "csr")
    M = linalg.LinearOperator((3, 3), matvec=lambda v: v / 4.0)
    y, info = linalg.bicgstab(A, x, x0=x * 0.1, rtol=1e-13, M=M)
    return y @ B0
def cg_const(x):
    y, info = linalg.cg(sparse.csr_matrix(np.diag([2., 3., 4.]) + 1), x ** 2, rtol=1e-13)
    return y @ B0
def minres(x):
    A = mat(x); A = (A + A.T).tocsr()
    return linalg.minres(A, x, rtol=1e-13)[0] @ B0 + linalg.lgmres(A, x, rtol=1e-13)[0] @ x + linalg.bicg(A, x, rtol=1e-13)[0] @ x
def kron(x):
    A = sparse.kron(mat(x), C)
    D = sparse.kron(sparse.eye(2), sparse.csr_matrix(np.outer(x, x)), format='csr')
    return np.sum((A @ np.arange(9.)) ** 2) * 1e-3 + np.sum((D @ np.arange(6.)) ** 2) + sparse.kron(sparse.csr_array(np.diag(x)), sparse.eye(2)).sum()
def kronsum(x):
    return np.sum(sparse.kronsum(mat(x), C).toarray() ** 2)
def stacks(x):
    A = mat(x, "csr")
    S = sparse.vstack([sparse.hstack([A, C]), sparse.hstack([C, A.T])]).tocsr()
    T = sparse.bmat([[A, None], [sparse.eye(3), A]], format="csc")
    return np.sum((S @ np.arange(6.)) ** 2) * 1e-2 + np.sum(linalg.splu(T).solve(np.arange(6.)) ** 2)
def eyes(x):
    A = x[0] * sparse.eye(3) + sparse.diags(x) @ C + sparse.identity(3, format="csr") * x[1] - C * x[2]
    return np.sum((A @ B0) ** 2) + np.sum((A @ (C @ x)) ** 2) * 1e-3
def power(x):
    A = mat(x, "csr")
    return (A ** 2).sum() + A.power(3).sum() + abs(A).sum() + A.tanh().sum()
def norm(x):
    return linalg.norm(mat(x))
def row_of(x):
    A = mat(x, "csr"); return np.sum(A[0] @ x) + (A[1:, 0].T @ x[1:]).sum() + A[1, 1] * x[0]
def loc(x):
    A = mat(x, "lil"); A[0, 2] = x[0]; A.setdiag(x ** 2)
    return np.sum(A.tocsr().toarray() ** 2) + A.tocsr().getrow(0).sum() + A.tocsr().getcol(1).sum()
def reshape(x):
    A = mat(x, "csr"); A.eliminate_zeros(); A.sort_indices(); A.sum_duplicates()
    return np.sum(A.reshape((1, 9)).toarray() * np.arange(9.)) + A.conj().T.sum() + A.transpose().tocsr().diagonal() @ x
def solve_matrix(x):
    return np.sum(linalg.spsolve(mat(x), np.outer(x, B0)) ** 2) + np.sum(linalg.spsolve_triangular(sparse.tril(mat(x)).tocsr(), B0) ** 2)
def triangular(x):
    return np.sum(linalg.spsolve_triangular(sparse.tril(mat(x), format="csr"), x, lower=True) ** 2)
CA = sparse.csr_array(np.arange(9.0).reshape(3, 3) % 4 + 1)
W = np.array([1., -2., .5])
def star_vec(x): return (C * x) @ W
def star_vec2(x): return (x * C) @ W
def star_arr(x): return (CA * x).sum() + (x * CA @ W).sum()
def arr_scal(x): return ((CA * x[0]) @ W) @ x + (x[1] * CA @ W) @ W + ((CA / x[2]) @ W) @ W + (-x[0] * CA).sum()
def dot(x): return C.dot(x) @ W + (C @ x) @ x + (x @ C) @ W + C.T.dot(x) @ W
def multiply(x): return np.sum(C.multiply(x[0]) @ W) + np.sum(C.multiply(x).tocsr() @ W) + np.sum(CA.multiply(x[:, None]) @ W)
def rows(x): return np.sum(C[0] @ x) + np.sum(C[:, 1:] @ x[1:])
def inplace_add(x):
    A = sparse.csr_matrix((3, 3)); A = A + sparse.diags(x); A += C * x[0]; return (A @ W) @ x
def plus(x): return np.sum((C + sparse.diags(x)).toarray() ** 2) + np.sum((CA + np.outer(x, x)) ** 2) + np.sum((np.outer(x, x) - CA) ** 2)
def loop(x):
    A = sparse.csr_matrix((3, 3))
    for k in range(3): A = A + x[k] * sparse.csr_matrix(([1.0], ([k], [2 - k])), shape=(3, 3))
    return np.sum((A @ x) ** 2)
def lilc(x):
    A = sparse.lil_matrix((3, 3)); A[0, 0] = 1.0; A[1, 1] = x[0] ** 2; A[2, :] = x
    return np.sum((A.tocsr() @ W) ** 2)
def datawrite2(x):
    A = C.copy(); A.data[:] = x[0]; return (A @ W) @ x
def dataconst(x):
    A = C.copy(); A.data[:] = 2.0; return (A @ x) @ x
def local(x):
    A = C.copy(); return np.sum(A[1] @ x) + np.sum(A[1:] @ x) + np.sum(A.getrow(1) @ x)
