"""Looking names up: where a name is defined, and where it is used."""
