"""Solving, factors and functions of matrices; all of stacks of matrices, too."""

from __future__ import annotations

import numpy as np
from scipy import linalg

mT = lambda self: np.swapaxes(self, -1, -2)
mH = lambda self: np.conj(np.swapaxes(self, -1, -2))
linalg_matrix_exp = lambda self: linalg.expm(self)


def _halved(x):
    """Return the lower triangle of matrices with half of their diagonals."""
    return np.tril(x) - 0.5 * x * np.eye(x.shape[-1])


def cholesky(self, *, upper=False):
    lower = np.linalg.cholesky(mH(self) if upper else self)
    return mH(lower) if upper else lower


def linalg_cholesky_ex(self, *, upper=False, check_errors=False):
    return cholesky(self, upper=upper), np.zeros(self.shape[:-2], dtype=int)


def cholesky_backward(grad, upper, L):
    lower = mH(L) if upper else L
    lower_bar = mH(grad) if upper else grad
    along = mH(lower) @ lower_bar
    whole = np.tril(along) + mH(np.tril(along, -1))
    return mH(np.linalg.solve(mH(lower), mH(np.linalg.solve(mH(lower), whole)))) / 2


def cholesky_jvp(dA, L, upper):
    lower = mH(L) if upper else L
    inside = mH(np.linalg.solve(lower, mH(np.linalg.solve(lower, dA))))
    lower_dot = lower @ _halved(inside)
    return mH(lower_dot) if upper else lower_dot


def _triangle(A, upper, unitriangular=False):
    kept = np.triu(A) if upper else np.tril(A)
    if unitriangular:
        return kept * (1 - np.eye(A.shape[-1])) + np.eye(A.shape[-1])
    return kept


def cholesky_solve(self, input2, *, upper=False):
    lower = _triangle(mH(input2) if upper else input2, False)
    return np.linalg.solve(mH(lower), np.linalg.solve(lower, self))


def cholesky_solve_backward(grad_x, self, input2, result, upper):
    self_bar = cholesky_solve(grad_x, input2, upper=upper)
    common = self_bar @ mH(result)
    common = common + mH(common)
    input2_bar = -input2 @ common if upper else -common @ input2
    return self_bar, input2_bar


def cholesky_inverse(self, *, upper=False):
    eye = np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape)
    return cholesky_solve(eye, self, upper=upper)


def cholesky_inverse_backward(grad, L, upper, inverse):
    common = inverse @ grad @ inverse
    common = common + inverse @ mH(grad) @ inverse
    return -L @ common if upper else -common @ L


def _linalg_det(A):
    LU, pivots, _ = linalg_lu_factor_ex(A)
    return np.linalg.det(A), LU, pivots


def linalg_det_backward(grad, det, A, LU, pivots):
    scaled = np.expand_dims(grad * np.conj(det), (-1, -2))
    return scaled * mH(np.linalg.inv(A))


def _linalg_slogdet(A):
    LU, pivots, _ = linalg_lu_factor_ex(A)
    sign, logabsdet = np.linalg.slogdet(A)
    return sign, logabsdet, LU, pivots


def slogdet_backward(grad_sign, grad_logabsdet, A, signdet, LU, pivots):
    inverse = mH(np.linalg.inv(A))
    if np.iscomplexobj(A):
        turned = grad_logabsdet - 1j * np.imag(np.conj(grad_sign) * signdet)
        return np.expand_dims(turned, (-1, -2)) * inverse
    return np.expand_dims(grad_logabsdet, (-1, -2)) * inverse


def linalg_inv_ex(A, *, check_errors=False):
    return np.linalg.inv(A), np.zeros(A.shape[:-2], dtype=int)


def linalg_pinv_atol_rtol_tensor(self, atol=None, rtol=None, *, hermitian=False):
    if rtol is None:
        rtol = 0.0 if atol is not None else max(self.shape[-2:]) * np.finfo(self.dtype).eps
    u, s, vh = np.linalg.svd(self, full_matrices=False)
    least = np.maximum(np.expand_dims(rtol, -1) * s[..., :1], np.expand_dims(atol or 0.0, -1))
    inverse = np.where(s > least, 1 / s, 0)
    return (mH(vh) * np.expand_dims(inverse, -2)) @ mH(u)


def pinv_backward(grad, pinvA, A):
    pinv_h = mH(pinvA)
    grad_h = mH(grad)
    off_image = np.eye(A.shape[-2]) - A @ pinvA
    off_rows = np.eye(A.shape[-1]) - pinvA @ A
    return (
        -pinv_h @ grad @ pinv_h
        + off_image @ grad_h @ pinvA @ pinv_h
        + pinv_h @ pinvA @ grad_h @ off_rows
    )


def pinv_jvp(A, pinvA, dA):
    pinv_h = mH(pinvA)
    dA_h = mH(dA)
    off_image = np.eye(A.shape[-2]) - A @ pinvA
    off_rows = np.eye(A.shape[-1]) - pinvA @ A
    return (
        -pinvA @ dA @ pinvA + pinvA @ pinv_h @ dA_h @ off_image + off_rows @ dA_h @ pinv_h @ pinvA
    )


def linalg_lu_factor_ex(A, *, pivot=True, check_errors=False):
    rows = np.reshape(A, (-1, *A.shape[-2:]))
    packed, places = np.zeros_like(rows), []
    for k, matrix in enumerate(rows):
        packed[k], swaps = linalg.lu_factor(matrix)
        places.append(swaps + 1)
    n = min(A.shape[-2:])
    pivots = np.reshape(np.array(places, dtype=int), (*A.shape[:-2], n))
    return np.reshape(packed, A.shape), pivots, np.zeros(A.shape[:-2], dtype=int)


def _permutation(pivots, n):
    """Return the permutation matrices that rows swapped one after the other make."""
    rows = np.reshape(pivots, (-1, pivots.shape[-1]))
    found = np.zeros((len(rows), n, n))
    for k, swaps in enumerate(rows):
        order = np.arange(n)
        for i, j in enumerate(swaps):
            order[[i, j - 1]] = order[[j - 1, i]]
        found[k, order, np.arange(n)] = 1
    return np.reshape(found, (*pivots.shape[:-1], n, n))


def lu_unpack(LU_data, *, LU_pivots, unpack_data=True, unpack_pivots=True):
    n = min(LU_data.shape[-2:])
    m = LU_data.shape[-2]
    L = np.tril(LU_data, -1)[..., :n] + np.eye(m, n)
    return _permutation(LU_pivots, m), L, np.triu(LU_data)[..., :n, :]


def lu_unpack_backward(L_grad, U_grad, m, n):
    k = min(m, n)
    below, above = np.tril(L_grad, -1), np.triu(U_grad)
    if m < n:
        return _widened(below, -1, n - k) + above
    return below + _widened(above, -2, m - k)


def _widened(x, axis, by):
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, by)
    return np.pad(x, widths)


def linalg_lu(A, *, pivot=True):
    if not pivot:
        LU = _factored_without_pivots(A)
        n = min(A.shape[-2:])
        L = np.tril(LU, -1)[..., :n] + np.eye(A.shape[-2], n)
        return np.zeros(0), L, np.triu(LU)[..., :n, :]
    LU, pivots, _ = linalg_lu_factor_ex(A)
    return lu_unpack(LU, LU_pivots=pivots)


def _factored_without_pivots(A):
    rows = np.array(A)
    for k in range(min(A.shape[-2:]) - (A.shape[-2] <= A.shape[-1])):
        rows[..., k + 1 :, k] /= rows[..., k, None, k]
        rows[..., k + 1 :, k + 1 :] -= rows[..., k + 1 :, k, None] * rows[..., k, None, k + 1 :]
    return rows


def linalg_lu_backward(L_grad, U_grad, P, L, U, pivot):
    m, n = L.shape[-2], U.shape[-1]
    k = min(m, n)
    L1, U1 = L[..., :k, :], U[..., :k]
    below = mH(L1) @ L_grad[..., :k, :]
    above = U_grad[..., :k] @ mH(U1)
    if m > n:
        above = above - mH(L[..., k:, :]) @ L_grad[..., k:, :]
    if n > m:
        below = below - U_grad[..., k:] @ mH(U[..., k:])
    inside = np.tril(below, -1) + np.triu(above)
    square = mH(np.linalg.solve(U1, mH(np.linalg.solve(mH(L1), inside))))
    if m > n:
        below = mH(np.linalg.solve(U1, mH(L_grad[..., k:, :])))
        square = np.concatenate((square, below), axis=-2)
    if n > m:
        beside = np.linalg.solve(mH(L1), U_grad[..., k:])
        square = np.concatenate((square, beside), axis=-1)
    return P @ square if pivot else square


def lu_factor_ex_backward(grad, LU, pivots, pivot):
    P, L, U = lu_unpack(LU, LU_pivots=pivots)
    n = L.shape[-1]
    return linalg_lu_backward(grad[..., :, :n], grad[..., :n, :], P, L, U, pivot)


def linalg_lu_solve(B, LU, *, pivots, left=True, adjoint=False):
    P, L, U = lu_unpack(LU, LU_pivots=pivots)
    A = P @ L @ U
    A = mH(A) if adjoint else A
    return np.linalg.solve(A, B) if left else mT(np.linalg.solve(mT(A), mT(B)))


def linalg_matrix_exp_differential(self, grad, adjoint):
    A = mH(self) if adjoint else self
    n = A.shape[-1]
    upper = np.concatenate((A, grad), axis=-1)
    lower = np.concatenate((np.zeros_like(A), A), axis=-1)
    return linalg.expm(np.concatenate((upper, lower), axis=-2))[..., :n, n:]


def linalg_householder_product(input, tau):
    m, n = input.shape[-2:]
    Q = np.broadcast_to(np.eye(m, n, dtype=input.dtype), (*input.shape[:-2], m, n))
    for k in reversed(range(tau.shape[-1])):
        v = np.tril(input, -1)[..., :, k] + np.eye(m)[k]
        along = np.conj(v)[..., None, :] @ Q
        Q = Q - tau[..., k, None, None] * v[..., :, None] * along
    return Q


def linalg_qr(A, *, mode="reduced"):
    if mode == "r":
        return np.zeros(0), np.linalg.qr(A, "r")
    Q, R = np.linalg.qr(A, mode)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return Q, R


def linalg_qr_backward(gQ, gR, Q, R, mode):
    m, n = Q.shape[-2], R.shape[-1]
    wide = n > m
    square = R[..., :m] if wide else R
    inside = gR @ mH(R) - mH(Q) @ gQ
    inside = np.triu(inside) + mH(np.triu(inside, 1))
    inside = inside - 1j * np.imag(inside) * np.eye(min(m, n)) if np.iscomplexobj(Q) else inside
    if wide:
        turn = mH(Q) @ gQ - gR @ mH(R)
        turn = _halved(turn - mH(turn))
        rest = mH(np.linalg.solve(square, mH(turn)))
        return Q @ (gR + _widened(rest, -1, n - m))
    return mH(np.linalg.solve(square, mH(gQ + Q @ inside)))


def _linalg_solve_ex(A, B, *, left=True, check_errors=False):
    LU, pivots, info = linalg_lu_factor_ex(A)
    as_vector = B.ndim == 1 or (B.ndim + 1 == A.ndim and B.shape == A.shape[:-1])
    right = B[..., None] if as_vector else B
    solved = np.linalg.solve(A, right) if left else mT(np.linalg.solve(mT(A), mT(right)))
    return (solved[..., 0] if as_vector else solved), LU, pivots, info


def linalg_solve_backward(gX, X, A, LU, pivots, left, B_requires_grad=True):
    as_vector = X.ndim + 1 == A.ndim
    wide = gX[..., None] if as_vector else gX
    solved = X[..., None] if as_vector else X
    if left:
        B_bar = np.linalg.solve(mH(A), wide)
        A_bar = -B_bar @ mH(solved)
    else:
        B_bar = mT(np.linalg.solve(np.conj(A), mT(wide)))
        A_bar = -mH(solved) @ B_bar
    return A_bar, (B_bar[..., 0] if as_vector else B_bar)


def _linalg_svd(A, *, full_matrices=False, compute_uv=True, driver=None):
    return np.linalg.svd(A, full_matrices=full_matrices)


def svd_backward(gU, gS, gVh, U, S, Vh):
    m, n, k = U.shape[-2], Vh.shape[-1], S.shape[-1]
    eye = np.eye(k)
    row, column = S[..., None, :], S[..., :, None]
    apart = (row - column) * (row + column) + eye
    skew_u = mH(U) @ gU
    skew_u = (skew_u - mH(skew_u)) / apart * (1 - eye)
    skew_v = Vh @ mH(gVh)
    skew_v = (skew_v - mH(skew_v)) / apart * (1 - eye)
    inside = skew_u * row + column * skew_v + gS[..., None] * eye
    if np.iscomplexobj(U):
        turn = mH(U) @ gU
        inside = inside + 1j * np.imag(turn) * eye / column
    total = inside
    left, right = U @ total, total @ Vh
    if m > k and n == k:
        return left @ Vh + (gU - U @ (mH(U) @ gU)) / row @ Vh
    if n > k and m == k:
        return U @ right + U @ ((gVh - (gVh @ mH(Vh)) @ Vh) / column)
    return U @ total @ Vh


def _linalg_eigh(A, *, UPLO="L", compute_v=True):
    values, vectors = np.linalg.eigh(A, UPLO)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return values, vectors


def linalg_eig(self):
    values, vectors = np.linalg.eig(self)
    return values + 0j, vectors + 0j


def linalg_eig_backward(gL, gV, L, V, is_hermitian):
    eye = np.eye(L.shape[-1])
    along = mH(V) @ gV
    if is_hermitian:
        apart = L[..., None, :] - L[..., :, None] + eye
        inside = along / apart * (1 - eye) + gL[..., None] * eye
        whole = V @ inside @ mH(V)
        return (whole + mH(whole)) / 2
    apart = np.conj(L[..., None, :] - L[..., :, None]) + eye
    own = np.real(np.sum(np.conj(V) * gV, axis=-2))
    inside = (along - (mH(V) @ V) * own[..., None, :]) / apart * (1 - eye)
    return np.linalg.solve(mH(V), (inside + gL[..., None] * eye) @ mH(V))


def linalg_eig_jvp(dA, L, V, is_hermitian):
    eye = np.eye(L.shape[-1])
    if is_hermitian:
        inside = mH(V) @ dA @ V
        turned = inside / (L[..., None, :] - L[..., :, None] + eye) * (1 - eye)
        return np.real(np.sum(inside * eye, axis=-1)), V @ turned
    inside = np.linalg.solve(V, dA @ V)
    turned = V @ (inside / (L[..., None, :] - L[..., :, None] + eye) * (1 - eye))
    own = np.real(np.sum(np.conj(V) * turned, axis=-2))
    return np.sum(inside * eye, axis=-1), turned - V * own[..., None, :]


def triangular_solve(self, A, *, upper=True, transpose=False, unitriangular=False):
    kept = _triangle(A, upper, unitriangular)
    return np.linalg.solve(mT(kept) if transpose else kept, self), A + 0


def triangular_solve_backward(grad_x, grad_m, b, a, x, upper, transpose, unitriangular):
    kept = _triangle(a, upper, unitriangular)
    b_bar = np.linalg.solve(np.conj(kept) if transpose else mH(kept), grad_x)
    a_bar = -np.conj(x) @ mT(b_bar) if transpose else -b_bar @ mH(x)
    a_bar = np.triu(a_bar, int(unitriangular)) if upper else np.tril(a_bar, -int(unitriangular))
    return b_bar, a_bar + grad_m


def linalg_solve_triangular(self, B, *, upper, left=True, unitriangular=False):
    kept = _triangle(self, upper, unitriangular)
    return np.linalg.solve(kept, B) if left else mT(np.linalg.solve(mT(kept), mT(B)))


def linalg_solve_triangular_backward(grad, A, X, upper, left, unitriangular):
    kept = _triangle(A, upper, unitriangular)
    if left:
        B_bar = np.linalg.solve(mH(kept), grad)
        A_bar = -B_bar @ mH(X)
    else:
        B_bar = mT(np.linalg.solve(np.conj(kept), mT(grad)))
        A_bar = -mH(X) @ B_bar
    one = int(unitriangular)
    return (np.triu(A_bar, one) if upper else np.tril(A_bar, -one)), B_bar


def linalg_lstsq(self, b, *, rcond=None, driver=None):
    solution = linalg_pinv_atol_rtol_tensor(self) @ b
    left = np.sum(np.abs(b - self @ solution) ** 2, axis=-2)
    full = self.shape[-2] > self.shape[-1]
    return solution, (left if full else np.zeros(0)), np.zeros(0), np.zeros(0)
