"""Vectorisable transcendental functions for Numba without SVML.

A Numba @intrinsic emits a call of a scalar libm function and attaches LLVM's
call-site attribute "vector-function-abi-variant", which tells the loop
vectoriser that libmvec (part of glibc on x86-64 Linux) has vector versions.
The scalar symbol gets a private name, so that LLVM does not recognise it as a
libcall and turn it into an intrinsic without vector version (it does so for
log, pow, ...).  Off Linux/x86-64, `available` is False and the functions fall
back to the math module's.
"""

import ctypes
import ctypes.util
import math

import llvmlite.binding as llvm
import llvmlite.ir as ir
from numba import njit, types
from numba.extending import intrinsic

try:
    _mv = ctypes.CDLL("libmvec.so.1")
    llvm.load_library_permanently("libmvec.so.1")
    _m = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    available = True
except OSError:
    available = False


def _make(name, nargs=1):
    if not available or not hasattr(_mv, "_ZGVdN4%s_%s" % ("v" * nargs, name)):
        fn = getattr(math, name)

        if nargs == 1:

            @njit(fastmath=True, inline="always")
            def plain(x):
                return fn(x)
        else:

            @njit(fastmath=True, inline="always")
            def plain(x, y):
                return fn(x, y)

        return plain
    sname = "vfa_" + name
    llvm.add_symbol(sname, ctypes.cast(getattr(_m, name), ctypes.c_void_p).value)

    def gen(sig):
        def codegen(context, builder, s, args):
            mod = builder.module
            d = ir.DoubleType()
            f = mod.globals.get(sname) or ir.Function(mod, ir.FunctionType(d, [d] * nargs), sname)
            maps, used = [], []
            for isa, n in (("b", 2), ("d", 4), ("e", 8)):
                vn = "_ZGV%sN%d%s_%s" % (isa, n, "v" * nargs, name)
                if not hasattr(_mv, vn):
                    continue
                v = ir.VectorType(d, n)
                vf = mod.globals.get(vn) or ir.Function(mod, ir.FunctionType(v, [v] * nargs), vn)
                used.append(vf)
                maps.append("_ZGV_LLVM_N%d%s_%s(%s)" % (n, "v" * nargs, sname, vn))
            # keep the declarations alive until the vectoriser has run
            p8 = ir.IntType(8).as_pointer()
            gname = "llvm.compiler.used"
            old = mod.globals.pop(gname, None)
            elems = list(old.initializer.constant) if old is not None else []
            have = {str(e) for e in elems}
            for u in used:
                c = u.bitcast(p8)
                if str(c) not in have:
                    elems.append(c)
            if old is not None:
                gv = old
                gv.type = ir.PointerType(ir.ArrayType(p8, len(elems)))
                gv.value_type = ir.ArrayType(p8, len(elems))
                mod.globals[gname] = gv
            else:
                gv = ir.GlobalVariable(mod, ir.ArrayType(p8, len(elems)), gname)
                gv.linkage = "appending"
                gv.section = "llvm.metadata"
            gv.initializer = ir.Constant(ir.ArrayType(p8, len(elems)), elems)
            c = builder.call(f, args, fastmath=["fast"])
            c.attributes.add("nounwind")
            c.attributes.add("readnone")
            set.add(c.attributes, '"vector-function-abi-variant"="%s"' % ",".join(maps))
            return c

        return sig, codegen

    if nargs == 1:

        @intrinsic
        def vfn(typingctx, x):
            return gen(types.float64(types.float64))

        @njit(fastmath=True, inline="always")
        def wrapped(x):
            return vfn(x)
    else:

        @intrinsic
        def vfn(typingctx, x, y):
            return gen(types.float64(types.float64, types.float64))

        @njit(fastmath=True, inline="always")
        def wrapped(x, y):
            return vfn(x, y)

    return wrapped


vexp = _make("exp")
vlog = _make("log")
vlog1p = _make("log1p")
vsin = _make("sin")
vcos = _make("cos")
vtanh = _make("tanh")
vatan2 = _make("atan2", 2)
vpow = _make("pow", 2)
