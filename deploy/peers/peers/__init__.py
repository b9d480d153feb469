"""Measures other PostgreSQL job queues, for comparison with Fettle's benchmark."""
