"""The bar at the top of every page, put together for the person who asks."""
