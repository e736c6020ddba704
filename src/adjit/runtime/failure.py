"""The error that generated programs raise where a check does not hold.

It is the user's error only after `dispatch` has looked up what the check was for.
"""


class Failure(Exception):
    """A check of a generated program did not hold; `args[0]` is the number of the check."""


__all__ = ["Failure"]
