"""The `swapflow` command, one module a command group."""
