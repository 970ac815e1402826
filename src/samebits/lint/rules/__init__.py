"""The rules, in the order of their codes. A file each: adding one is adding it here.

SB1 order of iteration, SB2 float arithmetic, SB3 random numbers, SB4 NumPy, SB5 the world outside,
SB6 text.
"""

from samebits.lint.rules.builtin_sum import BUILTIN_SUM
from samebits.lint.rules.completion_order import COMPLETION_ORDER
from samebits.lint.rules.complex_math import COMPLEX_MATH
from samebits.lint.rules.directory_order import DIRECTORY_ORDER
from samebits.lint.rules.environment import ENVIRONMENT
from samebits.lint.rules.float_equality import FLOAT_EQUALITY
from samebits.lint.rules.hash_order import HASH_ORDER
from samebits.lint.rules.identity_order import IDENTITY_ORDER
from samebits.lint.rules.libm import LIBM
from samebits.lint.rules.locale_text import LOCALE_TEXT
from samebits.lint.rules.numpy_functions import NUMPY_FUNCTIONS
from samebits.lint.rules.numpy_products import NUMPY_PRODUCTS
from samebits.lint.rules.numpy_random import NUMPY_RANDOM
from samebits.lint.rules.numpy_reductions import NUMPY_REDUCTIONS
from samebits.lint.rules.power import POWER
from samebits.lint.rules.rounded_text import ROUNDED_TEXT
from samebits.lint.rules.set_order import SET_ORDER
from samebits.lint.rules.standard_random import STANDARD_RANDOM
from samebits.lint.rules.tied_order import TIED_ORDER
from samebits.lint.rules.timeouts import TIMEOUTS
from samebits.lint.rules.wall_clock import WALL_CLOCK

RULES = (
    SET_ORDER,
    HASH_ORDER,
    IDENTITY_ORDER,
    DIRECTORY_ORDER,
    COMPLETION_ORDER,
    TIED_ORDER,
    BUILTIN_SUM,
    LIBM,
    POWER,
    COMPLEX_MATH,
    FLOAT_EQUALITY,
    STANDARD_RANDOM,
    NUMPY_RANDOM,
    NUMPY_FUNCTIONS,
    NUMPY_PRODUCTS,
    NUMPY_REDUCTIONS,
    WALL_CLOCK,
    ENVIRONMENT,
    TIMEOUTS,
    LOCALE_TEXT,
    ROUNDED_TEXT,
)
