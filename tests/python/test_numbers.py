"""Numbers of Python, NumPy, mpmath and gmpy2 as decimal texts that read back as the same number."""

import unittest
from decimal import Decimal
from fractions import Fraction

from deepfield._numbers import number_decimal, number_text
from support import need


class Numbers(unittest.TestCase):
    def test_texts_and_numbers_of_python(self):
        for value, text in (("-0.75", "-0.75"), (" 1e400 ", "1e400"), (3, "3"), (0.1, "0.1"),
                            (-2.5, "-2.5"), (Decimal("1E-500"), "1E-500"), (10**50, "1" + "0" * 50),
                            (Fraction(1, 4), "0.25"), (Fraction(7), "7")):
            self.assertEqual(number_text(value), text)

    def test_a_float_reads_back(self):
        for value in (1 / 3, 5e-324, 1.7976931348623157e308, -0.0):
            self.assertEqual(float(number_text(value)), value)

    def test_what_is_no_number_is_refused(self):
        for value in (None, True, [1], 1j, object()):
            with self.assertRaises(TypeError):
                number_text(value)
        for value in (float("nan"), float("inf"), Decimal("inf")):
            with self.assertRaises(ValueError):
                number_text(value)

    def test_mpmath(self):
        mpmath = need("mpmath")
        with mpmath.workprec(4000):
            for value in (mpmath.mpf(1) / 3, mpmath.mpf(2) ** -5000 * 3, -mpmath.sqrt(2),
                          mpmath.mpf(7)):
                self.assertEqual(mpmath.mpf(number_text(value)), value)
        with self.assertRaises(ValueError):
            number_text(mpmath.inf)

    def test_gmpy2(self):
        gmpy2 = need("gmpy2")
        with gmpy2.local_context(precision=2000):
            value = -gmpy2.sqrt(gmpy2.mpfr(2)) / 10**300
            self.assertEqual(gmpy2.mpfr(number_text(value)), value)
        self.assertEqual(number_text(gmpy2.mpz(5)), "5")
        self.assertEqual(number_text(gmpy2.mpq(1, 8)), "0.125")

    def test_numpy(self):
        numpy = need("numpy")
        self.assertEqual(number_text(numpy.float64(0.1)), "0.1")
        self.assertEqual(number_text(numpy.float32(0.1)), "0.1")
        self.assertEqual(number_text(numpy.int64(-3)), "-3")

    def test_a_text_has_its_exact_value(self):
        self.assertEqual(number_decimal("1_000.5"), Decimal("1000.5"))
