"""Measures other PostgreSQL job queues, for Fettle's benchmark to stand beside."""
