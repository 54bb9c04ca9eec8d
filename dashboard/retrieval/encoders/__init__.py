"""What makes vectors of texts and pictures: language models and networks, each in a process of its
own, services, and the query vectors of a version."""
