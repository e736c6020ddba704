"""adjit's functions inside other tools: `adjit.interop.torch`, `.jax` and `.pytensor`, each imported by name.

    import adjit.interop.torch

    loss = adjit.interop.torch.wrap(f)      # takes tensors, and `loss(w).backward()` works

SciPy, scikit-learn, joblib and Dask need no adapter: gradients are ordinary functions of arrays that can be
pickled.
"""
