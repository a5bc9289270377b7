"""Checks of the contract in `engine.core` that hold for any game; `engine.contract.checks` lists them."""
