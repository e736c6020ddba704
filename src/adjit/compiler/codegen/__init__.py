"""Core IR to the text of a Python module; `python.module_text` is the way in.

Reading order: `folding` (which values stand inside expressions), `liveness` (which may share a name),
`naming`, `expressions`, `moves` (parallel assignment), `statements`, `python`, `linemap`.
"""
