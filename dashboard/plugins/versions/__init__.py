"""New versions: `add` and `embed`, `remove` and `restore`, and a callback for trainers."""
