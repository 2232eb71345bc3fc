"""How a kernel is declared, and the few instructions of the processor that numba has no name for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import config, extending, njit, types
from numba.core import entrypoints
from numba.core.cgutils import get_or_insert_function

from core.kernel_cache import cache_of

if not config.CACHE_DIR:  # type: ignore[attr-defined]  # imported by a test, say, and not by kernel_loader.py
    config.CACHE_DIR = str(cache_of(Path(__file__).parent).folder)  # type: ignore[attr-defined]  # made at run time

# numba would import the extensions of every package that has some, such as awkward: 90 MB that no kernel needs
entrypoints._already_initialized = True

Function = TypeVar("Function", bound=Callable[..., Any])
# numba's own hints say that `typing` is an argument of the caller's
intrinsic = cast(Callable[[Callable[..., Any]], Callable[..., Any]], extending.intrinsic)

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Function) -> Function:
    """Compiled when first called, or loaded from the cache; runs without the interpreter lock.

    An array index is not checked, unless NUMBA_BOUNDSCHECK=1 is set before the first import. A kernel makes no array of
    its own (`_nrt`): counting references to those it is handed made scanners four to fifteen times as slow.
    """
    return cast(Function, njit(cache=True, **_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """A part of a kernel, put in its place."""
    return cast(Function, njit(inline="always", **_OPTIONS)(function))


_I1, _I8, _I32, _I64, _I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def load64(typing: Any, data: Any, index: Any) -> Any:
    """The 8 bytes of an array from `index` on as uint64, the first byte lowest; they need not be aligned."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(place, _I64.as_pointer()), align=1)

    return types.uint64(data, types.int64), generate


@intrinsic
def bytes_between(typing: Any, data: Any, index: Any, first: Any, last: Any) -> Any:
    """A uint64 with a bit for each of the 64 bytes of a uint8 array from `index` on: is it one of `first` to `last`?"""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(_I8, 64)

        def everywhere(value: Any) -> Any:
            undefined, zeros = ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(_I32, 64), [0] * 64)
            return builder.shuffle_vector(builder.insert_element(undefined, value, _I32(0)), undefined, zeros)

        place = _address(context, builder, signature.args[0], *arguments[:2])
        found = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
        low, high = (builder.trunc(argument, _I8) for argument in arguments[2:])
        offsets = builder.sub(found, everywhere(low))
        return builder.bitcast(builder.icmp_unsigned("<=", offsets, everywhere(builder.sub(high, low))), _I64)

    return types.uint64(data, types.int64, types.int64, types.int64), generate


@intrinsic
def least_of_16(typing: Any, numbers: Any, index: Any) -> Any:
    """The least of the 16 numbers of an int32 array from `index` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(_I32, 16)
        place = _address(context, builder, signature.args[0], *arguments)
        found = builder.load(builder.bitcast(place, vector.as_pointer()), align=4)
        name, function_type = "llvm.vector.reduce.smin.v16i32", ir.FunctionType(_I32, [vector])
        function = get_or_insert_function(builder.module, function_type, name)  # type: ignore[no-untyped-call]  # numba
        return builder.sext(builder.call(function, [found]), _I64)

    return types.int64(numbers, types.int64), generate


@intrinsic
def store64(typing: Any, data: Any, index: Any, value: Any) -> Any:
    """The reverse of load64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store(arguments[2], builder.bitcast(place, _I64.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(data, types.int64, types.uint64), generate


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for a place of an array that is read soon; a place outside of it does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        function_type = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [_I8.as_pointer()], function_type)
        builder.call(function, [builder.bitcast(place, _I8.as_pointer()), _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def trailing_zeros(typing: Any, bits: Any) -> Any:
    """Place of the lowest bit that is set in a uint64; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.cttz", [_I64], ir.FunctionType(_I64, [_I64, _I1]))
        return builder.call(function, [arguments[0], _I1(0)])

    return types.int64(types.uint64), generate


@intrinsic
def ones(typing: Any, bits: Any) -> Any:
    """How many bits of a uint64 are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.ctpop", [_I64], ir.FunctionType(_I64, [_I64]))
        return builder.call(function, [arguments[0]])

    return types.int64(types.uint64), generate


@intrinsic
def mix(typing: Any, one: Any, other: Any) -> Any:
    """Both halves of the 128-bit product, exclusive or: a hash step that lets every bit count.

    Source: wyhash (Wang Yi), "mum".
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        product = builder.mul(builder.zext(arguments[0], _I128), builder.zext(arguments[1], _I128))
        high = builder.trunc(builder.lshr(product, _I128(64)), _I64)
        return builder.xor(builder.trunc(product, _I64), high)

    return types.uint64(types.uint64, types.uint64), generate
