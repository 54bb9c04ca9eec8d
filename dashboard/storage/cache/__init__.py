"""The cache folder: files that can be made again, bounded in size, and computed results in them."""
