"""What the web server does beside Streamlit: hosts, paths, the head of a page, files, its log."""
