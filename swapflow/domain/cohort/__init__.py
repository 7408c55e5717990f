"""What is proposed and decided, and what follows the decision."""
