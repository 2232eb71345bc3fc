"""Byte pair encoding without a window: read a text, cut it into words, train, record, encode, decode, export.

The order of the lesson: corpus, normalizer, pre_tokenizer, alphabet, merge, trainer, recording, tokenizer, vocab.
"""
