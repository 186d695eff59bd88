"""Numbers with a unit that formulas use and that no reader may change: named, so that no bare 2 is a mystery."""

from engine.symbols import Constant

FLOP_PER_WEIGHT = Constant(
    "FLOP_PER_WEIGHT",
    2,
    "FLOP/parameter/token",
    "one multiply-add is 2 FLOP: each weight multiplies and adds once a token",
)
FLOP_PER_ELEMENT = Constant("FLOP_PER_ELEMENT", 2, "FLOP", "one multiply-add of two vector elements is 2 FLOP")
KEY_AND_VALUE = Constant("KEY_AND_VALUE", 2, "1/token", "every token keeps a key and a value")
SCORES_AND_VALUES = Constant(
    "SCORES_AND_VALUES", 2, "1", "attention multiplies twice: queries with keys, then weights with values"
)
TOKENS_PER_SEQUENCE = Constant(
    "TOKENS_PER_SEQUENCE", 1, "token/sequence", "a decode step adds one token to every sequence"
)
NEXT_TOKEN = Constant("NEXT_TOKEN", 1, "token", "a decode step adds one token")

# Counting parameters
PARAMETERS_PER_ELEMENT = Constant(
    "PARAMETERS_PER_ELEMENT", 1, "parameter", "each element of a weight matrix or vector is one parameter"
)
QUERY_AND_OUTPUT = Constant("QUERY_AND_OUTPUT", 2, "1", "each query head has a query and an output projection")
KEY_AND_VALUE_PROJECTIONS = Constant(
    "KEY_AND_VALUE_PROJECTIONS", 2, "1", "each KV head has a key and a value projection"
)
QUERY_AND_KEY_NORMS = Constant("QUERY_AND_KEY_NORMS", 2, "1", "one norm for queries, one for keys")
FINAL_NORM = Constant("FINAL_NORM", 1, "1", "one norm after the last layer")

PER_PAIR = Constant("PER_PAIR", 1, "1/pair", "counted for each pair of tokens")
PER_TOKEN = Constant("PER_TOKEN", 1, "1/token", "counted for each token that is decoded")

# Sums of whole numbers
ITSELF = Constant("ITSELF", 1, "token", "every token also attends to itself")
TRIANGLE = Constant("TRIANGLE", 2, "1", "the whole numbers up to n add up to n (n + 1) over two")
SQUARES = Constant("SQUARES", 6, "1", "the squares up to n add up to n (n + 1) (2 n + 1) over six")

# Rounding of binary fractions: decimals such as 0.05 have no exact double
TOKEN_SLACK = Constant(
    "TOKEN_SLACK", 1 / 10**9, "token", "rounding up to a billionth of a token: what just fits is not lost to it"
)
SAME_INSTANT = Constant("SAME_INSTANT", 1 / 10**9, "s", "instants less than a nanosecond apart are one")

# Requests that share blocks
PER_REQUEST = Constant("PER_REQUEST", 1, "1/request", "counted for each request")
ONE_REQUEST = Constant("ONE_REQUEST", 1, "request", "one request alone")
LAST_TOKEN = Constant("LAST_TOKEN", 1, "token", "a prompt's last token is always computed: the answer begins with it")
