"""What the options of `bpe train` come to: core.options.Options, or a message that names the option at fault."""

import argparse
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from core.alphabet import Unknown
from core.cli.parser import UsageError
from core.cli.training_options import FLAGS, PRESET_TITLES
from core.option_values import Stop
from core.options import Options
from core.presets import PRESETS

Given = Mapping[str, Any]


def given_fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of Options that the command line names, with its values."""
    values = {field: getattr(arguments, field) for field in FLAGS}
    given = {field: value for field, value in values.items() if value is not None}
    if "special_tokens" in given:
        given["special_tokens"] = tuple(given["special_tokens"])
    if "replacements" in given:
        given["replacements"] = tuple((pattern, text) for pattern, text in given["replacements"])
    return given


def options_of(arguments: argparse.Namespace, command: str) -> Options:
    """The preset, or else the usual choices, with what the command line says instead. Raises UsageError."""
    start = Options() if arguments.preset is None else preset_options(arguments.preset)
    return changed(start, given_fields(arguments), command)


def preset_options(name: str) -> Options:
    preset = next(preset for preset in PRESETS if preset.title == PRESET_TITLES[name])
    return preset.applied_to(Options())


def changed(start: Options, given: Given, command: str) -> Options:
    """Raises UsageError where something that is given cannot be, or would count for nothing."""
    options = _with_consequences(replace(start, **given, stop=_stop(given)), given)
    _refuse_without_effect(options, given, command)
    for field, fault in options.faults().items():
        raise UsageError(f"{FLAGS[field]}: {fault.message}", command)
    if problem := options.problem():
        raise UsageError(problem, command)
    return options


def _stop(given: Collection[str]) -> Stop:
    return Stop.MERGES if "merges" in given else Stop.VOCAB_SIZE if "vocab_size" in given else Stop.NO_PAIR


def _with_consequences(options: Options, given: Given) -> Options:
    """What is meant by giving an option that belongs to a choice that was not made."""
    if "replacements" in given:
        options = _with_normalizer(options, "replace")
    if "number_token" in given:
        options = _with_normalizer(options, "numbers")
    if "pattern" in given and "pre_tokenizer" not in given:
        options = replace(options, pre_tokenizer="custom")
    if "unknown_token" in given:
        is_open = "unknown" not in given and options.unknown in (Unknown.KEEP, Unknown.DROP)
        options = _with_unknown_token(options, Unknown.TOKEN if is_open else options.unknown)
    return options


def _with_normalizer(options: Options, name: str) -> Options:
    return options if name in options.normalizers else options.with_normalizer(name, True)


def _with_unknown_token(options: Options, unknown: Unknown) -> Options:
    token = options.unknown_token
    assert token is not None
    others = options.special_tokens
    return replace(options, unknown=unknown, special_tokens=others if token in others else (token, *others))


def _refuse_without_effect(options: Options, given: Given, command: str) -> None:
    """A choice that counts for nothing is a mistake, where a window shows it as greyed out."""
    usual = Options()
    if options.pre_tokenizer == "custom" and "pattern" not in given:
        raise UsageError("--pre-tokenizer custom needs a --pattern.", command)
    for field, reason in _reasons(options).items():
        if field in given and given[field] != getattr(usual, field):
            raise UsageError(f"{_as_written(field, given[field])}: {reason}", command)


def _reasons(options: Options) -> dict[str, str]:
    """Why a choice does not count, by field."""
    reasons = options.unusable()
    values: tuple[tuple[str, object, Mapping[Any, str]], ...] = (
        ("marker", options.marker, options.unusable_markers()),
        ("pre_tokenizer", options.pre_tokenizer, options.unusable_pre_tokenizers()),
        ("unknown", options.unknown, options.unusable_unknowns()),
    )
    reasons |= {field: unusable[value] for field, value, unusable in values if value in unusable}
    for name, reason in options.unusable_normalizers().items():
        if name in options.normalizers:
            reasons["normalizers"] = reason
    return reasons


def _as_written(field: str, value: object) -> str:
    """An option with its value."""
    flag = FLAGS[field]
    if isinstance(value, bool):
        return flag if value else f"--no-{flag.removeprefix('--')}"
    if isinstance(value, tuple):
        return f"{flag} {','.join(value)}" if all(isinstance(part, str) for part in value) else flag
    return f"{flag} {value}"
