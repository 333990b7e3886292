"""What sessions learned: agreements as files that people can read, and the Map search over them."""
