"""Adjoints of the stencil programs, written by hand in Numba.

Each adjoint gives (value, gradients) in one call: same memory traffic as the primal, no temporaries, BLAS for
matrix products, vectorised transcendental functions. Variants show what the levers are worth. This is the bar
for generated code.
"""

import numpy as np
from numba import njit

FM = dict(fastmath=True, error_model="numpy")


@njit(**FM)
def jacobi_half(A, B):
    n = A.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])


@njit(**FM)
def jacobi_2d_primal(A0, T):
    A = A0.copy()
    B = A0.copy()
    for t in range(T):
        jacobi_half(A, B)
        jacobi_half(B, A)
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j] * A[i, j]
    return 0.5 * s, A


@njit(**FM)
def jacobi_ring(G, R):
    """ring (boundary) part of the transposed stencil: R += 0.2*G seen from the ring"""
    n = G.shape[0]
    for j in range(1, n - 1):
        R[0, j] += 0.2 * G[1, j]
        R[n - 1, j] += 0.2 * G[n - 2, j]
        R[j, 0] += 0.2 * G[j, 1]
        R[j, n - 1] += 0.2 * G[j, n - 2]


@njit(**FM)
def jacobi_2d(A0, T):
    loss, A = jacobi_2d_primal(A0, T)
    n = A.shape[0]
    R = np.zeros_like(A)  # adjoint of the ring (A and B share the input ring)
    G = np.zeros_like(A)  # adjoint of the interior, zero on its ring
    H = np.zeros_like(A)
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0 or i == n - 1 or j == n - 1:
                R[i, j] = A[i, j]
            else:
                G[i, j] = A[i, j]
    for t in range(T):
        jacobi_ring(G, R)
        jacobi_half(G, H)
        jacobi_ring(H, R)
        jacobi_half(H, G)
    return loss, G + R


@njit(**FM)
def jacobi_scatter(G, H):
    n = G.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            g = 0.2 * G[i, j]
            G[i, j] = 0.0
            H[i, j] += g
            H[i, j - 1] += g
            H[i, j + 1] += g
            H[i + 1, j] += g
            H[i - 1, j] += g


@njit(**FM)
def jacobi_2d_scatter(A0, T):
    """the adjoint a textbook source transformation writes: scatter, statement by statement"""
    loss, A = jacobi_2d_primal(A0, T)
    G = A.copy()
    H = np.zeros_like(A)
    for t in range(T):
        jacobi_scatter(G, H)
        jacobi_scatter(H, G)
    return loss, G + H


@njit(**FM)
def seidel_2d_primal(A0, T):
    A = A0.copy()
    n = A.shape[0]
    c = 1.0 / 9.0
    for t in range(T):
        for i in range(1, n - 1):
            left = A[i, 0]
            # the vectorisable part first, then the loop-carried part
            for j in range(1, n - 1):
                A[i, j] = c * (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                )
            for j in range(1, n - 1):
                left = A[i, j] + c * left
                A[i, j] = left
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += A[i, j] * A[i, j]
    return 0.5 * s, A


@njit(**FM)
def seidel_2d(A0, T):
    loss, A = seidel_2d_primal(A0, T)
    n = A.shape[0]
    c = 1.0 / 9.0
    G = A.copy()
    row = np.zeros(n)
    for t in range(T):
        for i in range(n - 2, 0, -1):
            # loop-carried part, reversed: row[j] = c * full adjoint of new A[i, j]
            carry = 0.0
            for j in range(n - 2, 0, -1):
                carry = c * (G[i, j] + carry)
                row[j] = carry
            G[i, 0] += row[1]
            # gather form of the vectorisable part (row[0] == row[n-1] == 0)
            row[0] = 0.0
            for j in range(1, n - 1):
                r3 = row[j - 1] + row[j] + row[j + 1]
                G[i - 1, j] += r3
                G[i + 1, j] += r3
                G[i, j] = row[j] + row[j - 1]
            G[i - 1, 0] += row[1]
            G[i + 1, 0] += row[1]
            G[i - 1, n - 1] += row[n - 2]
            G[i + 1, n - 1] += row[n - 2]
            G[i, n - 1] += row[n - 2]
    return loss, G


@njit(**FM)
def seidel_2d_scatter(A0, T):
    loss, A = seidel_2d_primal(A0, T)
    n = A.shape[0]
    c = 1.0 / 9.0
    G = A.copy()
    for t in range(T):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                g = c * G[i, j]
                G[i, j] = g
                G[i - 1, j - 1] += g
                G[i - 1, j] += g
                G[i - 1, j + 1] += g
                G[i, j - 1] += g
                G[i, j + 1] += g
                G[i + 1, j - 1] += g
                G[i + 1, j] += g
                G[i + 1, j + 1] += g
    return loss, G


@njit(**FM)
def hdiff_laplacian(x, lap):
    I, J, K = lap.shape
    for i in range(I):
        for j in range(J):
            for k in range(K):
                lap[i, j, k] = 4.0 * x[i + 1, j + 1, k] - (
                    x[i + 2, j + 1, k] + x[i, j + 1, k] + x[i + 1, j + 2, k] + x[i + 1, j, k]
                )


@njit(**FM)
def hdiff_primal(x, coeff):
    I, J, K = coeff.shape
    lap = np.empty((I + 2, J + 2, K))
    hdiff_laplacian(x, lap)
    out = np.empty((I, J, K))
    fx = np.empty((2, J, K))  # rolling flux rows
    fy = np.empty((J + 1, K))
    s = 0.0
    for i in range(I + 1):
        cur = i & 1
        for j in range(J):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                fx[cur, j, k] = 0.0 if r * (x[i + 2, j + 2, k] - x[i + 1, j + 2, k]) > 0 else r
        if i == 0:
            continue
        ii = i - 1
        for j in range(J + 1):
            for k in range(K):
                r = lap[ii + 1, j + 1, k] - lap[ii + 1, j, k]
                fy[j, k] = 0.0 if r * (x[ii + 2, j + 2, k] - x[ii + 2, j + 1, k]) > 0 else r
        prev = 1 - cur
        for j in range(J):
            for k in range(K):
                o = x[ii + 2, j + 2, k] - coeff[ii, j, k] * (
                    fx[cur, j, k] - fx[prev, j, k] + fy[j + 1, k] - fy[j, k]
                )
                out[ii, j, k] = o
                s += o * o
    return 0.5 * s, out


@njit(**FM)
def hdiff(x, coeff):
    """forward once; then the adjoint in gather form"""
    I, J, K = coeff.shape
    lap = np.empty((I + 2, J + 2, K))
    hdiff_laplacian(x, lap)
    fx = np.empty((2, J, K))
    fy = np.empty((J + 1, K))
    T = np.zeros((I + 2, J + 2, K))  # T = -coeff*ob with a zero ring
    cb = np.empty((I, J, K))
    xb = np.zeros(x.shape)
    s = 0.0
    for i in range(I + 1):
        cur = i & 1
        for j in range(J):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                fx[cur, j, k] = 0.0 if r * (x[i + 2, j + 2, k] - x[i + 1, j + 2, k]) > 0 else r
        if i == 0:
            continue
        ii = i - 1
        for j in range(J + 1):
            for k in range(K):
                r = lap[ii + 1, j + 1, k] - lap[ii + 1, j, k]
                fy[j, k] = 0.0 if r * (x[ii + 2, j + 2, k] - x[ii + 2, j + 1, k]) > 0 else r
        prev = 1 - cur
        for j in range(J):
            for k in range(K):
                d = fx[cur, j, k] - fx[prev, j, k] + fy[j + 1, k] - fy[j, k]
                o = x[ii + 2, j + 2, k] - coeff[ii, j, k] * d
                s += o * o
                cb[ii, j, k] = -o * d
                T[ii + 1, j + 1, k] = -coeff[ii, j, k] * o
                xb[ii + 2, j + 2, k] = o
    # flux adjoints, limited; lapb = differences of them; rows rolled
    lb = np.zeros((I + 4, J + 4, K))  # adjoint of lap with a zero ring
    for i in range(I + 1):
        for j in range(J):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                g = T[i, j + 1, k] - T[i + 1, j + 1, k]
                g = 0.0 if r * (x[i + 2, j + 2, k] - x[i + 1, j + 2, k]) > 0 else g
                lb[i + 2, j + 2, k] += g
                lb[i + 1, j + 2, k] -= g
    for i in range(I):
        for j in range(J + 1):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                g = T[i + 1, j, k] - T[i + 1, j + 1, k]
                g = 0.0 if r * (x[i + 2, j + 2, k] - x[i + 2, j + 1, k]) > 0 else g
                lb[i + 2, j + 2, k] += g
                lb[i + 2, j + 1, k] -= g
    for i in range(1, I + 3):
        for j in range(1, J + 3):
            for k in range(K):
                xb[i, j, k] += 4.0 * lb[i, j, k] - (
                    lb[i - 1, j, k] + lb[i + 1, j, k] + lb[i, j - 1, k] + lb[i, j + 1, k]
                )
    for i in range(1, I + 3):
        for k in range(K):
            xb[i, 0, k] -= lb[i, 1, k]
            xb[i, J + 3, k] -= lb[i, J + 2, k]
    for j in range(1, J + 3):
        for k in range(K):
            xb[0, j, k] -= lb[1, j, k]
            xb[I + 3, j, k] -= lb[I + 2, j, k]
    return 0.5 * s, (xb, cb)


@njit(**FM)
def burgers_step(u, v, un, vn, a, nu):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            uc = u[i, j]
            vc = v[i, j]
            un[i, j] = (
                uc
                - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            )
            vn[i, j] = (
                vc
                - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
            )


@njit(**FM)
def burgers_2d_primal(u0, v0, T, a, nu):
    u, v = u0.copy(), v0.copy()
    un, vn = u0.copy(), v0.copy()
    for t in range(T):
        burgers_step(u, v, un, vn, a, nu)
        u, un = un, u
        v, vn = vn, v
    return 0.5 * (np.sum(u * u) + np.sum(v * v))


@njit(**FM)
def burgers_2d(u0, v0, T, a, nu):
    n = u0.shape[0]
    U = np.empty((T + 1, n, n))
    V = np.empty((T + 1, n, n))
    for t in range(T + 1):  # only the rings need copying past t = 0
        if t == 0:
            U[0] = u0
            V[0] = v0
        else:
            for q, q0 in ((U, u0), (V, v0)):
                q[t, 0] = q0[0]
                q[t, n - 1] = q0[n - 1]
                for i in range(n):
                    q[t, i, 0] = q0[i, 0]
                    q[t, i, n - 1] = q0[i, n - 1]
    for t in range(T):
        burgers_step(U[t], V[t], U[t + 1], V[t + 1], a, nu)
    ul, vl = U[T], V[T]
    loss = 0.5 * (np.sum(ul * ul) + np.sum(vl * vl))
    # G, H: interior adjoints with a zero ring; R, Q: ring adjoints
    G = np.zeros((n, n))
    H = np.zeros((n, n))
    G2 = np.zeros((n, n))
    H2 = np.zeros((n, n))
    R = np.zeros((n, n))
    Q = np.zeros((n, n))
    G[1:-1, 1:-1] = ul[1:-1, 1:-1]
    H[1:-1, 1:-1] = vl[1:-1, 1:-1]
    for k in range(n):
        for p, q in ((0, k), (n - 1, k)):
            R[p, q] = ul[p, q]
            Q[p, q] = vl[p, q]
    for k in range(1, n - 1):
        for p, q in ((k, 0), (k, n - 1)):
            R[p, q] = ul[p, q]
            Q[p, q] = vl[p, q]
    for t in range(T - 1, -1, -1):
        u = U[t]
        v = V[t]
        # ring contributions
        for k in range(1, n - 1):
            R[0, k] += G[1, k] * (a * u[1, k] + nu)
            Q[0, k] += H[1, k] * (a * u[1, k] + nu)
            R[n - 1, k] += nu * G[n - 2, k]
            Q[n - 1, k] += nu * H[n - 2, k]
            R[k, 0] += G[k, 1] * (a * v[k, 1] + nu)
            Q[k, 0] += H[k, 1] * (a * v[k, 1] + nu)
            R[k, n - 1] += nu * G[k, n - 2]
            Q[k, n - 1] += nu * H[k, n - 2]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                uc = u[i, j]
                vc = v[i, j]
                g = G[i, j]
                h = H[i, j]
                G2[i, j] = (
                    g * (1.0 - a * (2.0 * uc - u[i - 1, j] + vc) - 4.0 * nu)
                    - a * h * (vc - v[i - 1, j])
                    + G[i + 1, j] * (a * u[i + 1, j] + nu)
                    + G[i, j + 1] * (a * v[i, j + 1] + nu)
                    + nu * (G[i - 1, j] + G[i, j - 1])
                )
                H2[i, j] = (
                    h * (1.0 - a * (uc + 2.0 * vc - v[i, j - 1]) - 4.0 * nu)
                    - a * g * (uc - u[i, j - 1])
                    + H[i + 1, j] * (a * u[i + 1, j] + nu)
                    + H[i, j + 1] * (a * v[i, j + 1] + nu)
                    + nu * (H[i - 1, j] + H[i, j - 1])
                )
        G, G2 = G2, G
        H, H2 = H2, H
    return loss, (G + R, H + Q)


@njit(**FM)
def burgers_2d_scatter(u0, v0, T, a, nu):
    """whole states saved per step, adjoint as a scatter loop (textbook)"""
    n = u0.shape[0]
    U = np.empty((T + 1, n, n))
    V = np.empty((T + 1, n, n))
    U[0] = u0
    V[0] = v0
    for t in range(T):
        U[t + 1] = U[t]
        V[t + 1] = V[t]
        burgers_step(U[t], V[t], U[t + 1], V[t + 1], a, nu)
    loss = 0.5 * (np.sum(U[T] * U[T]) + np.sum(V[T] * V[T]))
    G = U[T].copy()
    H = V[T].copy()
    for t in range(T - 1, -1, -1):
        u = U[t]
        v = V[t]
        G2 = G.copy()
        H2 = H.copy()
        G2[1:-1, 1:-1] = 0.0
        H2[1:-1, 1:-1] = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                uc = u[i, j]
                vc = v[i, j]
                g = G[i, j]
                h = H[i, j]
                G2[i, j] += g * (1.0 - a * (2.0 * uc - u[i - 1, j] + vc) - 4.0 * nu) - a * h * (
                    vc - v[i - 1, j]
                )
                H2[i, j] += h * (1.0 - a * (uc + 2.0 * vc - v[i, j - 1]) - 4.0 * nu) - a * g * (
                    uc - u[i, j - 1]
                )
                G2[i - 1, j] += g * (a * uc + nu)
                G2[i, j - 1] += g * (a * vc + nu)
                G2[i + 1, j] += g * nu
                G2[i, j + 1] += g * nu
                H2[i - 1, j] += h * (a * uc + nu)
                H2[i, j - 1] += h * (a * vc + nu)
                H2[i + 1, j] += h * nu
                H2[i, j + 1] += h * nu
        G = G2
        H = H2
    return loss, (G, H)
