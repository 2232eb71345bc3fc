"""The normalizer and pre-tokenizer of a pipeline as JSON, in the files that keep them."""

from typing import Any

from core.pipeline import Pipeline


def pipeline_json(pipeline: Pipeline) -> dict[str, Any]:
    words = pipeline.pre_tokenizer
    return {
        "normalizer": pipeline.normalizer.to_json(),
        "pre_tokenizer": {
            "name": words.name,
            "pattern": words.pattern,
            "digits": words.digits,
            "punctuation": words.punctuation,
        },
    }


def counting_json(pipeline: Pipeline) -> dict[str, Any]:
    """All that decides which words a corpus has."""
    return {
        **pipeline_json(pipeline),
        "texts": pipeline.texts,
        "specials_in_text": pipeline.specials,
        "special_tokens": list(pipeline.special_tokens),
    }
