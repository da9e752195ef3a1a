"""For people's own servers: select and order items, allocate a budget, rename keys. The gate needs little of it."""
