"""The defence file of a decision: answers to an appeal, and what they rest on."""
