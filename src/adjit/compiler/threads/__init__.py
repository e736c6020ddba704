"""Core IR divided into parts that several threads run, and a program that calls them.

Reading order: `sink` (scratch memory that each pass can have for itself), `nests` (which loops are divided,
and what becomes of what their passes share), `cost` (when it pays), `divide`.
"""

from .divide import Part, Plan, divide, parts_mapped
from .sink import sink

__all__ = ["Part", "Plan", "divide", "parts_mapped", "sink"]
