"""Play one match between sandboxed processes. This package imports the engine, and neither Django nor a database."""
