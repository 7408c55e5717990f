"""JSON that no honest program writes: deep, huge, broken, or no number at all."""

HOSTILE = {
    "deep lists": "[" * 50_000 + "]" * 50_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "deep lists that never end": "[" * 100_000,
    "as deep as the reader takes, and then walked": "[" * 600 + "]" * 600,
    "infinity": "[1e999]",
    "infinity by name": "[Infinity]",
    "no number": "[NaN]",
    "a number of 400 digits": "[" + "9" * 400 + "]",
    "a number of 5,000 digits": "[" + "9" * 5_000 + "]",
    "half a character": r'["\ud800"]',
    "no JSON": "[1,",
    "nothing": "",
}
