"""The normalizer and pre-tokenizer of a pipeline as JSON, in the files that keep them."""

from collections.abc import Mapping
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
            **({"splits": [split.to_json() for split in words.splits]} if words.splits else {}),
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


def described(said: Mapping[str, Any]) -> str:
    """What `counting_json` says, in short."""
    steps = [step["name"] if isinstance(step, dict) else step for step in said["normalizer"]]
    words = said["pre_tokenizer"]
    name = words["name"] if words["name"] not in ("custom", "splits") else f"{words['name']}, {words['pattern']}"
    digits = f", digits {words['digits']}" if words["digits"] != "together" else ""
    punctuation = ", punctuation apart" if words["punctuation"] else ""
    return f"normalizer {', '.join(steps) or 'none'}; pre-tokenizer {name}{digits}{punctuation}; texts {said['texts']}"


def counting_problem(said: Mapping[str, Any], pipeline: Pipeline) -> str | None:
    """Why words that were counted with what `counting_json` says are not those that `pipeline` makes; None if they are.

    What texts are and special tokens mean has no say once a tokenizer is trained.
    """
    own = counting_json(pipeline)
    if all(said.get(key) == own[key] for key in pipeline_json(pipeline)):
        return None
    return (
        f"The words were counted with {described(said)}, but the tokenizer will cut texts with {described(own)}. "
        "Choose the same as when they were counted."
    )
