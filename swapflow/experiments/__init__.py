"""The paper's experiments, planning and sensitivity: studies of many rounds, and their figures."""
