"""The commands on what people said: reviews, and links for those who give them."""
