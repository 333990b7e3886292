"""The tools: plain functions from a `Project` and checked arguments to an `Answer`. No phase logic here."""
