"""What to write instead of a function that is not known, or of an argument that is not read.

Input: a function, and the name of an argument. Output: the remedy, for a message. One row per function or
module: the longest beginning of the dotted name decides. Invariant: each formula gives what the function
gives (`tests/compiler/frontend/arrays/test_remedies.py`). Non-goals: functions of complex numbers.
"""

from __future__ import annotations

import inspect
import sys

from ..skeletons import vjp_skeleton
from .names import name_of

FOURIER = "multiply by the matrix np.exp(-2j * np.pi * np.outer(k, k) / n), or write the sums as loops"
DRAWS = "draw outside and pass the numbers as an argument, or make them of those that np.random.normal, \
uniform, randint or choice draw"
FILES = "read and write outside, and pass the numbers as arguments"
CLOCK = "measure outside, around the call"
TELL = "do it outside, after the call; print shows numbers and text inside"
ELEMENTS = (
    "call the function in a loop over the elements, or write it with NumPy functions, which take arrays"
)
OUTSIDE = "compute it outside and pass the result as an argument, or write it as loops"
DICT = "a dict whose keys are known, or an array that is indexed by the key"
SYMMETRIC = "use np.linalg.eigh or eigvalsh, if the matrix is symmetric"
NORMAL_PDF = "np.exp(-0.5 * ((x - loc) / scale) ** 2) / (scale * np.sqrt(2.0 * np.pi))"
NORMAL_LOGPDF = "-0.5 * ((x - loc) / scale) ** 2 - np.log(scale * np.sqrt(2.0 * np.pi))"
ROOTS = (
    "write Newton's steps as a loop, or give the root a rule by the implicit function theorem: "
    "docs/howto/roots.md has both"
)
MINIMISE = (
    "minimise outside, with adjit.value_and_grad; the minimum as a function of parameters is a root of the "
    "gradient: docs/howto/roots.md"
)
STEPS = "write the steps as a loop, such as those of Runge and Kutta"
WINDOWS = "take the elements by index, x[np.arange(n)[:, None] + np.arange(k)], or slices in a loop"
BINS = "count in a loop, counts[np.searchsorted(edges, v, side='right') - 1] += 1: counts have no gradient"
FACTORS = (
    "use np.linalg.solve for a system, np.linalg.slogdet for a determinant, np.linalg.cholesky, or loops"
)
DISTANCES = "np.sqrt(np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2)), or write loops"
FILTER = "write the sum over the neighbours as a loop or with slices; along one axis np.convolve does it"
SPLINE = "use np.interp, or make the coefficients outside and write the polynomial"
SPECIAL = "write its formula with scipy.special: gammaln, betaln, xlogy, ndtr, gammainc, betainc"

STEPPING = (
    "set ADJIT_DISABLE_JIT=1 and a breakpoint in the generated program, the file that .path(*args) names"
)

FUNCTIONS: dict[str, str] = {  # by a function's name, or by that of its module or class
    "breakpoint": STEPPING,
    "collections.Counter": f"use {DICT}",
    "collections.OrderedDict": "use a dict, which keeps its order",
    "collections.defaultdict": f"use {DICT}",
    "collections.deque": "use a list: append and pop",
    "datetime": CLOCK,
    "input": FILES,
    "io": FILES,
    "iter": "write a loop, or an index",
    "itertools": "write the loops out",
    "itertools.accumulate": "write a loop that keeps the running value, or use np.cumsum",
    "itertools.chain": "write one loop after the other, or add the lists",
    "itertools.combinations": "write loops: for i in range(n): for j in range(i + 1, n)",
    "itertools.islice": "take a slice",
    "itertools.pairwise": "use zip(values[:-1], values[1:])",
    "itertools.permutations": "write loops inside one another and leave out equal indices",
    "itertools.product": "write one loop inside the other",
    "json": FILES,
    "logging": TELL,
    "next": "write a loop, or an index",
    "np.apply_along_axis": "write a loop over the rows, or call a function with an argument axis",
    "np.apply_over_axes": "call the function once for each axis",
    "np.argpartition": "use np.argsort, which orders all of them",
    "np.block": "use np.concatenate along each axis, or np.vstack and np.hstack",
    "np.fft": FOURIER,
    "np.frexp": "write the exponent as e = np.floor(np.log2(np.abs(x))) + 1.0, and x / 2.0**e",
    "np.fromiter": "use np.array of a list: np.array([… for …])",
    "np.frompyfunc": ELEMENTS,
    "np.histogram": BINS,
    "np.histogram2d": BINS,
    "np.histogramdd": BINS,
    "np.i0": "use scipy.special.i0(x)",
    "np.lib.stride_tricks": WINDOWS,
    "np.linalg.eig": SYMMETRIC,
    "np.linalg.eigvals": SYMMETRIC,
    "np.load": FILES,
    "np.loadtxt": FILES,
    "np.nanmedian": "use np.median(x[~np.isnan(x)])",
    "np.partition": "use np.sort, which orders all of them",
    "np.piecewise": "use np.where(test, a, b) for two pieces, np.select(tests, values) for several",
    "np.polyfit": "solve for the coefficients: np.linalg.lstsq(np.vander(x, degree + 1), y)[0]",
    "np.polynomial.polynomial.polyval": "use np.polyval(c[::-1], x): highest power first",
    "np.random": DRAWS,
    "np.random.multivariate_normal": "mean + np.linalg.cholesky(cov) @ np.random.standard_normal(len(mean))",
    "np.ravel_multi_index": "write the position as arithmetic: i * shape[1] + j",
    "np.save": FILES,
    "np.savetxt": FILES,
    "np.savez": FILES,
    "np.unravel_index": "write the index as arithmetic: k // shape[1], k % shape[1]",
    "np.vectorize": ELEMENTS,
    "numba.stencils": "write it with slices, such as x[:-2] + x[2:] for the neighbours, or as a loop",
    "numba.typed.typeddict.Dict": f"use {DICT}",
    "os": FILES,
    "pathlib": FILES,
    "pdb": STEPPING,
    "pickle": FILES,
    "random": DRAWS,
    "random.choice": "take values[np.random.randint(len(values))]",
    "random.expovariate": "use np.random.exponential(1.0 / rate)",
    "random.randint": "use np.random.randint(a, b + 1)",
    "random.randrange": "use np.random.randint(a, b)",
    "random.sample": "use np.random.choice(values, k, replace=False)",
    "random.shuffle": "use np.random.permutation(values), which gives a new array",
    "scipy.fft": FOURIER,
    "scipy.integrate.odeint": STEPS,
    "scipy.integrate.quad": "sum weights * f(nodes) of np.polynomial.legendre.leggauss, made outside",
    "scipy.integrate.solve_ivp": STEPS,
    "scipy.interpolate": SPLINE,
    "scipy.linalg.block_diag": "assign the blocks of zeros: out[:n, :n] = a, out[n:, n:] = b",
    "scipy.linalg.lu": FACTORS,
    "scipy.linalg.lu_factor": FACTORS,
    "scipy.linalg.lu_solve": FACTORS,
    "scipy.linalg.solve_banded": "use np.linalg.solve of the whole matrix, or write elimination as a loop",
    "scipy.linalg.toeplitz": "c[np.abs(i[:, None] - i)] where i = np.arange(len(c)); loops if not symmetric",
    "scipy.ndimage": FILTER,
    "scipy.optimize": MINIMISE,
    "scipy.optimize.bisect": ROOTS,
    "scipy.optimize.brenth": ROOTS,
    "scipy.optimize.brentq": ROOTS,
    "scipy.optimize.fixed_point": ROOTS,
    "scipy.optimize.fsolve": ROOTS,
    "scipy.optimize.newton": ROOTS,
    "scipy.optimize.ridder": ROOTS,
    "scipy.optimize.root": ROOTS,
    "scipy.optimize.root_scalar": ROOTS,
    "scipy.optimize.toms748": ROOTS,
    "scipy.sparse": "make it outside, and pass .data, .indices and .indptr to a loop over the rows",
    "scipy.spatial.distance": "write the formula with sums over an axis, or loops over the rows",
    "scipy.spatial.distance.cdist": DISTANCES,
    "scipy.stats": SPECIAL,
    "scipy.stats.norm.cdf": "use scipy.special.ndtr((x - loc) / scale)",
    "scipy.stats.norm.logcdf": "use scipy.special.log_ndtr((x - loc) / scale)",
    "scipy.stats.norm.logpdf": f"write {NORMAL_LOGPDF}",
    "scipy.stats.norm.logsf": "use scipy.special.log_ndtr((loc - x) / scale)",
    "scipy.stats.norm.pdf": f"write {NORMAL_PDF}",
    "scipy.stats.norm.ppf": "use loc + scale * scipy.special.ndtri(q)",
    "scipy.stats.norm.rvs": "use np.random.normal(loc, scale, size)",
    "scipy.stats.norm.sf": "use scipy.special.ndtr((loc - x) / scale)",
    "set": "use a tuple or a list",
    "statistics": "use np.mean, np.median, np.var(x, ddof=1) or np.std(x, ddof=1)",
    "sys": FILES,
    "time": CLOCK,
    "warnings": TELL,
}

NO_MATTER = "leave it out: the numbers are the same without it"
ANOTHER = "write what it does as a statement of its own, or the computation as loops"
ARGUMENTS: dict[str, str] = {  # by an argument's name, that of its function before it where it matters
    "casting": NO_MATTER,
    "check_finite": NO_MATTER,
    "device": NO_MATTER,
    "driver": NO_MATTER,
    "dtype": "convert the result: .astype(dtype)",
    "lapack_driver": NO_MATTER,
    "like": NO_MATTER,
    "list.sort key": "order by the numbers that the key gives: values[np.argsort(keys)]",
    "list.sort reverse": "sort first, then values.reverse()",
    "max default": "test for an empty sequence before",
    "max key": "take the item by its position: values[np.argmax(keys)]",
    "min default": "test for an empty sequence before",
    "min key": "take the item by its position: values[np.argmin(keys)]",
    "np.amax initial": "use np.maximum(initial, np.max(a))",
    "np.amax where": "use np.max(np.where(where, a, -np.inf))",
    "np.amin initial": "use np.minimum(initial, np.min(a))",
    "np.amin where": "use np.min(np.where(where, a, np.inf))",
    "np.max initial": "use np.maximum(initial, np.max(a))",
    "np.max where": "use np.max(np.where(where, a, -np.inf))",
    "np.mean where": "use np.sum(np.where(where, a, 0.0)) / np.sum(where)",
    "np.min initial": "use np.minimum(initial, np.min(a))",
    "np.min where": "use np.min(np.where(where, a, np.inf))",
    "np.prod initial": "use initial * np.prod(a)",
    "np.prod where": "use np.prod(np.where(where, a, 1.0))",
    "np.random.choice p": "draw indices: np.searchsorted(np.cumsum(p), np.random.random(size))",
    "np.sum initial": "use initial + np.sum(a)",
    "np.sum where": "use np.sum(np.where(where, a, 0.0))",
    "optimize": NO_MATTER,
    "out": "assign the result: out[...] = …",
    "overwrite_a": NO_MATTER,
    "overwrite_b": NO_MATTER,
    "overwrite_input": NO_MATTER,
    "sorted key": "order by the numbers that the key gives: values[np.argsort(keys)]",
    "subok": NO_MATTER,
    "where": "choose from the result: np.where(where, …, otherwise)",
}


OBJECTS: dict[str, str] = {  # by the name of a class or one of its bases, or of its module
    "enum.Enum": "make it an enum.IntEnum, whose members are numbers, or pass its .value",
    "np.random": "draw outside and pass the numbers, or call np.random.normal and the like inside",
    "numba.typed.typeddict.Dict": "pass a dict of Python, dict(d), if its keys are known",
    "pandas": "pass .to_numpy() of it",
    "scipy.sparse": "pass .toarray() of it, or its parts .data, .indices and .indptr to a loop over the rows",
}


def known_remedy(name: str) -> str | None:
    """The row of a function with this name."""
    return _row(FUNCTIONS, name)


def instead_of_object(cls: type) -> str:
    """What to pass instead of an object of a class; empty where nothing is known."""
    return next((found for base in cls.__mro__ if (found := _row(OBJECTS, name_of(base)))), "")


def _row(table: dict[str, str], name: str) -> str | None:
    """That of the longest beginning of a dotted name."""
    parts = name.split(".")
    heads = (".".join(parts[:k]) for k in range(len(parts), 0, -1))
    return next((table[head] for head in heads if head in table), None)


def instead_of(function: object) -> str:
    """What to write instead of a function: a rule only for functions of numbers and arrays."""
    name = name_of(function)
    known = known_remedy(name)
    if known is not None:
        return known
    home = str(getattr(function, "__module__", None) or "").split(".")[0]
    unnamed = isinstance(function, type) or not hasattr(function, "__name__")
    if unnamed or "." not in name or not home or home in sys.stdlib_module_names:
        return OUTSIDE
    remedy = "write it as loops, with a rule of your own where you know its derivative:\n"
    return remedy + vjp_skeleton(name, _needed(signature_of(function)))


def instead_of_argument(function: object, argument: str) -> str:
    """What to write instead of an argument of a function."""
    return ARGUMENTS.get(f"{name_of(function)} {argument}") or ARGUMENTS.get(argument, ANOTHER)


def signature_of(function: object) -> inspect.Signature | None:
    try:
        return inspect.signature(function)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _needed(signature: inspect.Signature | None) -> inspect.Signature | None:
    """The parameters that a call must give, if there are any."""
    if signature is None:
        return None
    kept = [p for p in signature.parameters.values() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    return signature.replace(parameters=kept) if kept else signature


__all__ = [
    "FOURIER",
    "instead_of",
    "instead_of_argument",
    "instead_of_object",
    "known_remedy",
    "signature_of",
]
