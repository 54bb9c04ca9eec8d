"""From recorded states to keywords and a balanced choice of clips; pure, needs numpy only."""
