"""Result lists that people looked at: relevance, satisfaction, and whose answers count."""
