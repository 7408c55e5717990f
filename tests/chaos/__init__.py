"""The fault campaign: a whole system, people who use it, and a second hand that breaks it.

`driver` plays reviewers and staff and remembers what they were told; `faults` breaks things;
`checker` compares memory, ledger and live state; `campaign` puts the three together.
"""
