"""Dense, elementwise and matrix programs as a user writes them.

Two forms of each: `loops` (explicit loops, scalar calls) and `numpy` (array expressions and slices). A
program that nobody would write in array form has one form only. This is what adjit is given to differentiate.
"""

import numpy as np


def gmm_loops(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    K = alphas.shape[0]
    s = 0.0
    prior = 0.0
    inner = np.empty((K, n))
    xc = np.empty(d)
    for k in range(K):
        log_diag = 0.0
        frob = 0.0
        for a in range(d):
            log_diag += icf[k, a]
            frob += np.exp(icf[k, a]) ** 2
        for p in range(d, icf.shape[1]):
            frob += icf[k, p] ** 2
        prior += 0.5 * gamma * gamma * frob - m * log_diag
        for i in range(n):
            for a in range(d):
                xc[a] = x[i, a] - means[k, a]
            sq = 0.0
            for a in range(d):
                y = np.exp(icf[k, a]) * xc[a]
                for b in range(a):
                    y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                sq += y * y
            inner[k, i] = alphas[k] + log_diag - 0.5 * sq
    for i in range(n):
        mx = inner[0, i]
        for k in range(1, K):
            mx = max(mx, inner[k, i])
        t = 0.0
        for k in range(K):
            t += np.exp(inner[k, i] - mx)
        s += np.log(t) + mx
    mx = alphas.max()
    t = 0.0
    for k in range(K):
        t += np.exp(alphas[k] - mx)
    return s - n * (np.log(t) + mx) + prior


def logsumexp(x, axis):
    m = np.max(x, axis=axis, keepdims=True)
    return np.squeeze(np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True)) + m, axis=axis)


def gmm_numpy(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    K = alphas.shape[0]
    diag = np.exp(icf[:, :d])
    log_diag = np.sum(icf[:, :d], axis=1)
    inner = np.empty((n, K))
    for k in range(K):
        L = np.zeros((d, d))
        p = d
        for b in range(d):
            L[b + 1 :, b] = icf[k, p : p + d - 1 - b]
            p += d - 1 - b
        xc = x - means[k]
        y = xc * diag[k] + xc @ L.T
        inner[:, k] = alphas[k] + log_diag[k] - 0.5 * np.sum(y * y, axis=1)
    prior = 0.5 * gamma**2 * (np.sum(diag**2) + np.sum(icf[:, d:] ** 2)) - m * np.sum(log_diag)
    return np.sum(logsumexp(inner, 1)) - n * logsumexp(alphas, 0) + prior


def arc_distance_loops(t1, p1, t2, p2):
    s = 0.0
    for i in range(t1.shape[0]):
        a = np.sin((t2[i] - t1[i]) * 0.5)
        b = np.sin((p2[i] - p1[i]) * 0.5)
        h = a * a + np.cos(t1[i]) * np.cos(t2[i]) * b * b
        s += 2.0 * np.arctan2(np.sqrt(h), np.sqrt(1.0 - h))
    return s


def arc_distance_numpy(t1, p1, t2, p2):
    h = np.sin((t2 - t1) / 2) ** 2 + np.cos(t1) * np.cos(t2) * np.sin((p2 - p1) / 2) ** 2
    return np.sum(2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h)))


def logreg_loops(w, b, X, y):
    n, d = X.shape
    s = 0.0
    for i in range(n):
        z = b
        for j in range(d):
            z += X[i, j] * w[j]
        t = -y[i] * z
        s += max(t, 0.0) + np.log1p(np.exp(-abs(t)))
    return s / n


def logreg_numpy(w, b, X, y):
    return np.mean(np.logaddexp(0.0, -y * (X @ w + b)))


def layernorm_loops(x, gain, bias, W):
    n, d = x.shape
    s = 0.0
    for i in range(n):
        mean = 0.0
        for j in range(d):
            mean += x[i, j]
        mean /= d
        var = 0.0
        for j in range(d):
            var += (x[i, j] - mean) ** 2
        r = 1.0 / np.sqrt(var / d + 1e-5)
        for j in range(d):
            s += W[i, j] * ((x[i, j] - mean) * r * gain[j] + bias[j])
    return s


def layernorm_numpy(x, gain, bias, W):
    xc = x - x.mean(axis=-1, keepdims=True)
    h = xc / np.sqrt(np.mean(xc * xc, axis=-1, keepdims=True) + 1e-5)
    return np.sum(W * (h * gain + bias))


def mlp2_loops(W1, b1, W2, b2, X, Y):
    H = X @ W1
    n, h = H.shape
    for i in range(n):
        for j in range(h):
            H[i, j] = max(H[i, j] + b1[j], 0.0)
    Z = H @ W2
    s = 0.0
    for i in range(n):
        m = -np.inf
        for j in range(Z.shape[1]):
            Z[i, j] += b2[j]
            m = max(m, Z[i, j])
        t = 0.0
        for j in range(Z.shape[1]):
            t += np.exp(Z[i, j] - m)
        s += np.log(t) + m
        for j in range(Z.shape[1]):
            s -= Y[i, j] * Z[i, j]
    return s / n


def mlp2_numpy(W1, b1, W2, b2, X, Y):
    H = np.maximum(X @ W1 + b1, 0.0)
    Z = H @ W2 + b2
    return np.mean(logsumexp(Z, 1) - np.sum(Y * Z, axis=1))


def attention_loops(Q, K, V):
    P = Q @ K.T
    n, m = P.shape
    scale = 1.0 / np.sqrt(Q.shape[1])
    for i in range(n):
        mx = -np.inf
        for j in range(m):
            P[i, j] *= scale
            mx = max(mx, P[i, j])
        t = 0.0
        for j in range(m):
            P[i, j] = np.exp(P[i, j] - mx)
            t += P[i, j]
        for j in range(m):
            P[i, j] /= t
    O = P @ V
    return 0.5 * np.sum(O * O)


def attention_numpy(Q, K, V):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    P = np.exp(S - S.max(axis=-1, keepdims=True))
    O = (P / P.sum(axis=-1, keepdims=True)) @ V
    return 0.5 * np.sum(O**2)


def k2mm_loops(A, B, C, D):
    E = A @ B @ C
    s = 0.0
    for i in range(E.shape[0]):
        for j in range(E.shape[1]):
            s += (1.5 * E[i, j] + 1.2 * D[i, j]) ** 2
    return 0.5 * s


def k2mm_numpy(A, B, C, D):
    E = 1.5 * A @ B @ C + 1.2 * D
    return 0.5 * np.sum(E * E)
