"""Adjoints of the dense programs, written by hand in Numba.

Each adjoint gives (value, gradients) in one call: same memory traffic as the primal, no temporaries, BLAS for
matrix products, vectorised transcendental functions. Variants show what the levers are worth. This is the bar
for generated code.
"""

import math

import numpy as np
from numba import njit

from .vecmath import vexp, vlog1p

FM = dict(fastmath=True, error_model="numpy")


@njit(**FM)
def mlp2_primal(W1, b1, W2, b2, X, Y):
    n, h = X.shape[0], W1.shape[1]
    H = np.dot(X, W1)
    for i in range(n):
        for j in range(h):
            H[i, j] = max(H[i, j] + b1[j], 0.0)
    Z = np.dot(H, W2)
    c = Z.shape[1]
    s = 0.0
    for i in range(n):
        m = -np.inf
        for j in range(c):
            Z[i, j] += b2[j]
            m = max(m, Z[i, j])
        t = 0.0
        d = 0.0
        for j in range(c):
            t += math.exp(Z[i, j] - m)
            d += Y[i, j] * Z[i, j]
        s += math.log(t) + m - d
    return s / n


@njit(**FM)
def mlp2(W1, b1, W2, b2, X, Y):
    n, h = X.shape[0], W1.shape[1]
    H = np.dot(X, W1)
    for i in range(n):
        for j in range(h):
            H[i, j] = max(H[i, j] + b1[j], 0.0)
    Z = np.dot(H, W2)
    c = Z.shape[1]
    s = 0.0
    b2b = np.zeros(c)
    inv = 1.0 / n
    for i in range(n):
        m = -np.inf
        d = 0.0
        for j in range(c):
            Z[i, j] += b2[j]
            m = max(m, Z[i, j])
            d += Y[i, j] * Z[i, j]
        t = 0.0
        for j in range(c):
            Z[i, j] = vexp(Z[i, j] - m)
            t += Z[i, j]
        s += math.log(t) + m - d
        r = inv / t
        for j in range(c):
            z = Z[i, j] * r - Y[i, j] * inv
            Z[i, j] = z
            b2b[j] += z
    W2b = np.dot(H.T, Z)
    Hb = np.dot(Z, W2.T)
    b1b = np.zeros(h)
    for i in range(n):
        for j in range(h):
            g = Hb[i, j] if H[i, j] > 0 else 0.0
            Hb[i, j] = g
            b1b[j] += g
    return s * inv, (np.dot(X.T, Hb), b1b, W2b, b2b)


@njit(**FM)
def softmax_rows(P, sc, exp):
    n, m = P.shape
    for i in range(n):
        mx = -np.inf
        for j in range(m):
            P[i, j] *= sc
            mx = max(mx, P[i, j])
        t = 0.0
        for j in range(m):
            P[i, j] = exp(P[i, j] - mx)
            t += P[i, j]
        r = 1.0 / t
        for j in range(m):
            P[i, j] *= r


@njit
def scalar_exp(x):
    return math.exp(x)


@njit(**FM)
def attention_primal(Q, K, V):
    P = np.dot(Q, K.T)
    softmax_rows(P, 1.0 / math.sqrt(Q.shape[1]), vexp)
    O = np.dot(P, V)
    s = 0.0
    for i in range(O.shape[0]):
        for j in range(O.shape[1]):
            s += O[i, j] * O[i, j]
    return 0.5 * s


@njit(**FM)
def attention(Q, K, V, exp):
    sc = 1.0 / math.sqrt(Q.shape[1])
    P = np.dot(Q, K.T)
    softmax_rows(P, sc, exp)
    O = np.dot(P, V)
    n, m = P.shape
    G = np.dot(O, V.T)  # Ob == O for this loss
    s = 0.0
    for i in range(n):
        d = 0.0
        for j in range(m):
            d += G[i, j] * P[i, j]
        for j in range(O.shape[1]):
            s += O[i, j] * O[i, j]
        for j in range(m):
            G[i, j] = sc * P[i, j] * (G[i, j] - d)
    return 0.5 * s, (np.dot(G, K), np.dot(G.T, Q), np.dot(P.T, O))


@njit(**FM)
def k2mm_primal(A, B, C, D):
    E = np.dot(np.dot(A, B), C)
    s = 0.0
    for i in range(E.shape[0]):
        for j in range(E.shape[1]):
            e = 1.5 * E[i, j] + 1.2 * D[i, j]
            s += e * e
    return 0.5 * s


@njit(**FM)
def k2mm(A, B, C, D):
    T = np.dot(A, B)
    E = np.dot(T, C)
    Db = np.empty_like(D)
    s = 0.0
    for i in range(E.shape[0]):
        for j in range(E.shape[1]):
            e = 1.5 * E[i, j] + 1.2 * D[i, j]
            s += e * e
            Db[i, j] = 1.2 * e
            E[i, j] = 1.5 * e
    Tb = np.dot(E, C.T)
    return 0.5 * s, (np.dot(Tb, B.T), np.dot(A.T, Tb), np.dot(T.T, E), Db)


@njit(**FM)
def gmm_terms(k, al, mu, icf, xT, Ls, In, xc, y, ed):
    """fill In[k, :] ; leaves xc, y of component k in the work arrays"""
    d, n = xT.shape
    sq = 0.0
    for a in range(d):
        sq += icf[k, a]
        ed[a] = math.exp(icf[k, a])
        m = mu[k, a]
        e = ed[a]
        for i in range(n):
            xc[a, i] = xT[a, i] - m
            y[a, i] = e * xc[a, i]
    p = d
    for b in range(d):
        for a in range(b + 1, d):
            l = icf[k, p]
            p += 1
            for i in range(n):
                y[a, i] += l * xc[b, i]
    for i in range(n):
        In[k, i] = al[k] + sq
    for a in range(d):
        for i in range(n):
            In[k, i] -= 0.5 * y[a, i] * y[a, i]
    return sq


@njit(**FM)
def log_sum_exp(In, W):
    """sum over i of logsumexp over k; W[k, i] = softmax weights"""
    K, n = In.shape
    mx = In[0].copy()
    for k in range(1, K):
        for i in range(n):
            mx[i] = max(mx[i], In[k, i])
    t = np.zeros(n)
    for k in range(K):
        for i in range(n):
            W[k, i] = vexp(In[k, i] - mx[i])
            t[i] += W[k, i]
    s = 0.0
    for i in range(n):
        s += math.log(t[i]) + mx[i]
    for k in range(K):
        for i in range(n):
            W[k, i] /= t[i]
    return s


@njit(**FM)
def gmm_primal(al, mu, icf, x, gam, mm):
    n, d = x.shape
    K = al.shape[0]
    xT = x.T.copy()
    In = np.empty((K, n))
    xc = np.empty((d, n))
    y = np.empty((d, n))
    ed = np.empty(d)
    pr = 0.0
    for k in range(K):
        sq = gmm_terms(k, al, mu, icf, xT, xc, In, xc, y, ed)
        q = 0.0
        for a in range(d):
            q += ed[a] * ed[a]
        for p in range(d, icf.shape[1]):
            q += icf[k, p] * icf[k, p]
        pr += 0.5 * gam * gam * q - mm * sq
    s = log_sum_exp(In, In)
    ma = np.max(al)
    t = 0.0
    for k in range(K):
        t += math.exp(al[k] - ma)
    return s - n * (math.log(t) + ma) + pr


@njit(**FM)
def gmm(al, mu, icf, x, gam, mm):
    n, d = x.shape
    K = al.shape[0]
    xT = x.T.copy()
    In = np.empty((K, n))
    xc = np.empty((d, n))
    y = np.empty((d, n))
    xb = np.empty((d, n))
    ed = np.empty(d)
    alb = np.empty(K)
    mub = np.empty_like(mu)
    ib = np.empty_like(icf)
    pr = 0.0
    for k in range(K):
        sq = gmm_terms(k, al, mu, icf, xT, xc, In, xc, y, ed)
        q = 0.0
        for a in range(d):
            q += ed[a] * ed[a]
        for p in range(d, icf.shape[1]):
            q += icf[k, p] * icf[k, p]
        pr += 0.5 * gam * gam * q - mm * sq
    s = log_sum_exp(In, In)  # In now holds the weights
    ma = np.max(al)
    t = 0.0
    for k in range(K):
        alb[k] = math.exp(al[k] - ma)
        t += alb[k]
    w2 = np.empty((K, n))
    for k in range(K):
        # recompute xc and y rather than keep (K, d, n)
        gmm_terms(k, al, mu, icf, xT, xc, w2, xc, y, ed)
        sw = 0.0
        for i in range(n):
            sw += In[k, i]
        alb[k] = sw - n * alb[k] / t
        for a in range(d):
            r = 0.0
            e = ed[a]
            for i in range(n):
                g = -In[k, i] * y[a, i]
                y[a, i] = g
                r += g * xc[a, i]
                xb[a, i] = e * g
            ib[k, a] = e * r + sw - mm + gam * gam * e * e
        p = d
        for b in range(d):
            for a in range(b + 1, d):
                l = icf[k, p]
                r = 0.0
                for i in range(n):
                    r += y[a, i] * xc[b, i]
                    xb[b, i] += l * y[a, i]
                ib[k, p] = r + gam * gam * l
                p += 1
        for a in range(d):
            r = 0.0
            for i in range(n):
                r += xb[a, i]
            mub[k, a] = -r
    return s - n * (math.log(t) + ma) + pr, (alb, mub, ib)


@njit(**FM)
def arc_distance_primal(t1, p1, t2, p2, sin, cos, atan2):
    s = 0.0
    for i in range(t1.shape[0]):
        a = sin((t2[i] - t1[i]) * 0.5)
        b = sin((p2[i] - p1[i]) * 0.5)
        h = a * a + cos(t1[i]) * cos(t2[i]) * b * b
        s += 2.0 * atan2(math.sqrt(h), math.sqrt(1.0 - h))
    return s


@njit(**FM)
def arc_distance(t1, p1, t2, p2, sin, cos, atan2):
    n = t1.shape[0]
    g1, q1, g2, q2 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    s = 0.0
    for i in range(n):
        dt = (t2[i] - t1[i]) * 0.5
        dp = (p2[i] - p1[i]) * 0.5
        a = sin(dt)
        ca = cos(dt)
        b = sin(dp)
        cb = cos(dp)
        c1 = cos(t1[i])
        c2 = cos(t2[i])
        s1 = sin(t1[i])
        s2 = sin(t2[i])
        h = a * a + c1 * c2 * b * b
        r = math.sqrt(h)
        q = math.sqrt(1.0 - h)
        s += 2.0 * atan2(r, q)
        hb = 1.0 / (r * q)
        u = hb * a * ca
        v = hb * c1 * c2 * b * cb
        w = hb * b * b
        g1[i] = -u - w * s1 * c2
        g2[i] = u - w * c1 * s2
        q1[i] = -v
        q2[i] = v
    return s, (g1, q1, g2, q2)


@njit
def scalar_sin(x):
    return math.sin(x)


@njit
def scalar_cos(x):
    return math.cos(x)


@njit
def scalar_atan2(y, x):
    return math.atan2(y, x)


@njit(**FM)
def logreg_gemv_primal(w, b, X, y):
    z = np.dot(X, w)
    s = 0.0
    n = z.shape[0]
    for i in range(n):
        t = -y[i] * (z[i] + b)
        s += max(t, 0.0) + vlog1p(vexp(-abs(t)))
    return s / n


@njit(**FM)
def logreg_gemv(w, b, X, y):
    z = np.dot(X, w)
    s = 0.0
    n = z.shape[0]
    bb = 0.0
    inv = 1.0 / n
    for i in range(n):
        t = -y[i] * (z[i] + b)
        e = vexp(-abs(t))
        s += max(t, 0.0) + vlog1p(e)
        sg = (1.0 if t >= 0 else e) / (1.0 + e)
        g = -y[i] * sg * inv
        z[i] = g
        bb += g
    return s * inv, (np.dot(X.T, z), bb)


@njit(**FM)
def logreg_primal(w, b, X, y):
    n, d = X.shape
    s = 0.0
    z = np.empty(n)
    for i in range(n):
        t = 0.0
        for j in range(d):
            t += X[i, j] * w[j]
        z[i] = -y[i] * (t + b)
    for i in range(n):
        s += max(z[i], 0.0) + vlog1p(vexp(-abs(z[i])))
    return s / n


@njit(**FM)
def logreg(w, b, X, y):
    """loops instead of gemv, blocked so that X is read from memory once"""
    n, d = X.shape
    z = np.empty(256)
    wb = np.zeros(d)
    s = 0.0
    bb = 0.0
    inv = 1.0 / n
    for i0 in range(0, n, 256):
        m = min(256, n - i0)
        for i in range(m):
            t = 0.0
            for j in range(d):
                t += X[i0 + i, j] * w[j]
            z[i] = t
        for i in range(m):
            t = -y[i0 + i] * (z[i] + b)
            e = vexp(-abs(t))
            s += max(t, 0.0) + vlog1p(e)
            g = -y[i0 + i] * ((1.0 if t >= 0 else e) / (1.0 + e)) * inv
            z[i] = g
            bb += g
        for i in range(m):
            g = z[i]
            for j in range(d):
                wb[j] += g * X[i0 + i, j]
    return s * inv, (wb, bb)


@njit(**FM)
def layernorm_primal(x, ga, be, W):
    n, d = x.shape
    s = 0.0
    for i in range(n):
        m = 0.0
        for j in range(d):
            m += x[i, j]
        m /= d
        v = 0.0
        for j in range(d):
            v += (x[i, j] - m) ** 2
        r = 1.0 / math.sqrt(v / d + 1e-5)
        for j in range(d):
            s += W[i, j] * ((x[i, j] - m) * r * ga[j] + be[j])
    return s


@njit(**FM)
def layernorm(x, ga, be, W):
    n, d = x.shape
    xb = np.empty_like(x)
    gb = np.zeros(d)
    bb = np.zeros(d)
    s = 0.0
    for i in range(n):
        m = 0.0
        for j in range(d):
            m += x[i, j]
        m /= d
        v = 0.0
        for j in range(d):
            v += (x[i, j] - m) ** 2
        r = 1.0 / math.sqrt(v / d + 1e-5)
        c1 = 0.0
        c2 = 0.0
        for j in range(d):
            h = (x[i, j] - m) * r
            w = W[i, j]
            s += w * (h * ga[j] + be[j])
            gb[j] += w * h
            bb[j] += w
            c1 += w * ga[j]
            c2 += w * ga[j] * h
        c1 /= d
        c2 /= d
        for j in range(d):
            xb[i, j] = r * (W[i, j] * ga[j] - c1 - (x[i, j] - m) * r * c2)
    return s, (xb, gb, bb)
