"""Derivatives of sums and means over rows that lie on many workers, by Dask.

What travels is the text of the generated code: workers need NumPy, and no srcgrad.
"""

from srcgrad.dask.rows import hvp, jacobian, value_and_grad

__all__ = ["hvp", "jacobian", "value_and_grad"]
