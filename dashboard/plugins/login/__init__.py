"""Login by Streamlit (OIDC) or by a proxy, and a file of roles."""
