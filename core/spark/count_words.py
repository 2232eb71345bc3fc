"""The Spark job: counts the words of a corpus with the options of `bpe train`, and writes them as Parquet.

Run it with spark-submit, or on one machine with `python -m core.spark.count_words`. See README.md in this folder.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.cli.chosen_options import options_of
from core.cli.parser import UsageError, named, whole_number
from core.cli.training_options import add_training_options
from core.errors import BpeError, ConfigError
from core.parquet_words import PIPELINE_KEY
from core.pipeline import Pipeline
from core.pipeline_json import counting_json
from core.spark.corpus_parts import PART_BYTES, Part, PartCounter, parts_of
from core.spark.files import CorpusFile, files_at

PACKAGES = {"pyspark": "'pyspark>=3.5'", "pyarrow": "'pyarrow>=16'"}
MAX_TASKS = 20_000
PLACE_BITS = 40  # of a word among those of its part
MAX_PARTS = 1 << (63 - PLACE_BITS)
COLUMNS = "word string, count long, first long"


def count_words(spark: Any, files: Sequence[CorpusFile], pipeline: Pipeline, part_bytes: int = PART_BYTES) -> Any:
    """A DataFrame of each word, its count and `first`, a number that grows with the place where it came first."""
    from pyspark.sql import functions

    parts = parts_of(files, pipeline, part_bytes)
    if len(parts) > MAX_PARTS:
        raise ConfigError(f"There are {len(parts):,} parts, and up to {MAX_PARTS:,} are counted: put files together.")
    rows = spark.sparkContext.parallelize(parts, min(len(parts), MAX_TASKS) or 1).flatMap(
        partial(_rows, PartCounter(tuple(files), pipeline))
    )
    word = functions.col("word").alias("word", metadata={PIPELINE_KEY: json.dumps(counting_json(pipeline))})
    count, first = functions.sum("count").alias("count"), functions.min("first").alias("first")
    counted = spark.createDataFrame(rows, COLUMNS, verifySchema=False).groupBy("word").agg(count, first)
    if pipeline.limits.min_count > 1:
        counted = counted.where(functions.col("count") >= pipeline.limits.min_count)
    return counted.select(word, "count", "first")


def _rows(counter: PartCounter, part: Part) -> Iterator[tuple[str, int, int]]:
    first = part.number << PLACE_BITS
    for place, (word, count) in enumerate(counter.count(part).items(), first):
        yield word, count, place


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        pipeline = options_of(options, "train").pipeline()
        _run(options, pipeline)
    except UsageError as error:
        parser.error(str(error))
    except BpeError as error:
        print(f"count_words: {error}", file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace, pipeline: Pipeline) -> None:
    for package in PACKAGES:
        if find_spec(package) is None:
            raise BpeError(f"The package {package} is not installed: pip install {' '.join(PACKAGES.values())}")
    files = files_at(options.files)
    with _session() as spark, _in_the_users_words():
        words = count_words(spark, files, pipeline, options.part_megabytes << 20)
        words.write.mode("overwrite" if options.overwrite else "error").parquet(options.out)
    print(f"written: {options.out}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "count_words",
        usage="spark-submit --py-files core.zip count_words.py INPUT ... --out FOLDER [OPTION ...]",
        description="Count the words of files and folders on Spark. Of the options of `bpe train` those count that say "
        "how a text becomes words; the others are taken in, so that they can stand here too.",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", type=named, metavar="INPUT", help="UTF-8 files and folders, or addresses")
    parser.add_argument("--out", required=True, type=named, metavar="FOLDER", help="where the Parquet files go")
    parser.add_argument("--overwrite", action="store_true", help="replace what is there (default: no)")
    parser.add_argument(
        "--part-megabytes",
        type=whole_number(1, 1024),
        default=PART_BYTES >> 20,
        metavar="N",
        help="so much text is one task (default: %(default)s)",
    )
    add_training_options(parser)
    return parser


@contextmanager
def _session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # not of spark-submit: the workers are on this machine
        let_workers_find_this()
    spark = SparkSession.builder.appName("count words").getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def let_workers_find_this() -> None:
    """This Python, with this package, wherever it was started."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


@contextmanager
def _in_the_users_words() -> Iterator[None]:
    """What went wrong in a worker comes as a traceback in a message."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = re.findall(r"^core\.(?:errors|special_tokens)\.\w+: (.+)$", str(error), re.MULTILINE)
        raise BpeError(found[-1] if found else str(error).splitlines()[0]) from None


if __name__ == "__main__":
    sys.exit(main())
