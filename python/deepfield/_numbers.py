"""Numbers of any length as decimal texts."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Union

Number = Union[str, int, float, Decimal, Any]
"""A decimal text, or a number of Python, NumPy, mpmath or gmpy2."""


DIGITS_MOST = 150_000  # of a number that is not exact with fewer; keys take 160,000


def _of_mantissa(mantissa: int, exponent: int) -> str:
    """mantissa * 2^exponent, exactly: a number of mpmath does not know how long it was meant."""
    if exponent >= 0:
        return str(Decimal(mantissa << exponent))
    from decimal import Context

    context = Context(prec=min(-exponent + mantissa.bit_length() // 3 + 10, DIGITS_MOST),
                      Emin=-10**9, Emax=10**9)
    tens = context.multiply(Decimal(mantissa), context.power(Decimal(5), Decimal(-exponent)))
    return str(context.scaleb(tens, exponent))


def _of_mpfr(value: Any) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is no coordinate")
    digits, exponent, _ = value.digits(10)
    sign = "-" if digits.startswith("-") else ""
    return f"{sign}0.{digits.lstrip('-')}e{exponent}"


def number_text(value: Number) -> str:
    """A number as a decimal text that reads back as the same number.

    A float is the shortest decimal that names it, as Python prints it: 0.1 is 0.1. A text is taken
    as it is; the library judges it.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        raise TypeError("a coordinate is a number or a decimal text, not a bool")
    if isinstance(value, int):
        return str(Decimal(value))  # str(int) stops at 4,300 digits
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no coordinate")
        return float.__repr__(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no coordinate")
        return str(value)
    parts = getattr(value, "_mpf_", None)  # mpmath.mpf: sign, mantissa, exponent, bits
    if parts is not None:
        sign, mantissa, exponent, _ = parts
        if not mantissa and exponent:
            raise ValueError(f"{value} is no coordinate")
        return _of_mantissa(-int(mantissa) if sign else int(mantissa), int(exponent))
    if hasattr(value, "digits") and hasattr(value, "precision"):  # gmpy2.mpfr
        return _of_mpfr(value)
    if hasattr(value, "denominator") and not hasattr(value, "__index__"):
        return _of_ratio(int(value.numerator), int(value.denominator))
    if hasattr(value, "is_integer") and hasattr(value, "dtype"):  # floats of NumPy
        return str(value)
    if type(value).__name__ == "ndarray":
        array: Any = value
        if array.ndim:
            raise TypeError(f"an array of {array.size} numbers is no number: a coordinate is one")
        return number_text(array[()])
    if hasattr(value, "__index__"):
        return str(Decimal(value.__index__()))
    raise TypeError(
        f"{type(value).__name__} is no number: a coordinate is a decimal text or a number")


def _of_ratio(numerator: int, denominator: int) -> str:
    from decimal import Context

    over, under = Decimal(numerator), Decimal(denominator)
    if denominator == 1:
        return str(over)
    context = Context(prec=max(40, over.adjusted() + under.adjusted() + 20))
    return str(context.divide(over, under))


def number_decimal(text: str) -> Decimal:
    """The exact value of a decimal text; underscores may stand between digits."""
    return Decimal(text.replace("_", ""))
