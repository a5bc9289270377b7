"""The runner plays one match between sandboxed processes. It knows the engine, and neither Django nor any database."""
