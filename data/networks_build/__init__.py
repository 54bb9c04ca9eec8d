"""Picture sides of model versions as ONNX networks: what both builders share."""
