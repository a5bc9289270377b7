"""Play one match between sandboxed processes: protocol, clocks, verdicts. It knows neither Django nor the database."""
