"""Files and requests that nobody meant: whatever comes, there is an answer in words, and soon."""
