"""The `swapflow` command, one module a command group; `main.run` is where it starts."""
