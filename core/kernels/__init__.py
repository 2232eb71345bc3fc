"""The loops that must be fast, compiled by numba: they hold no interpreter lock and touch nothing but arrays.

A kernel is a page that can be followed, with its idea in the docstring. What a kernel means in terms of words, tokens
and merges is said by the module of `core` that calls it; nothing else imports a kernel, since importing one compiles it
or loads it from the cache (see kernel_loader.py).
"""

MODULES = (
    "core.kernels.spelling",
    "core.kernels.layout",
    "core.kernels.text_checking",
    "core.kernels.scanning",
    "core.kernels.short_words",
    "core.kernels.long_words",
    "core.kernels.word_table",
    "core.kernels.merging",
    "core.kernels.word_encoding",
    "core.kernels.recovering",
)
"""Every module with kernels, by its full name, in the order in which they are compiled: first what others use."""
