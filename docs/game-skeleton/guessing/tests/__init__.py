"""Tests of Guessing."""
