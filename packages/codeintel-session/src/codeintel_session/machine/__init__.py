"""The machine: what may come next. Pure: no file, no clock, no process, no text; values in, values out."""
