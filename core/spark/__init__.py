"""Counts the words of a corpus on Spark, for corpora beyond one machine: see README.md in this folder.

Spark spreads the work, adds up and writes; files are read and words are cut here, exactly as on one machine.
"""
