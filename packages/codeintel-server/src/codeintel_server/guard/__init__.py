"""`codeintel-guard`: stops a write before it happens. The standard library only; it must answer in 50 ms."""
