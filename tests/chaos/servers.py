"""Database and broker of an arena, which events take away and give back."""

from contextlib import ExitStack

import psycopg
import redis

from tests.servers import free_port, postgres, redis_server

DATABASE = "chaos"


class Database:
    """A PostgreSQL server with one database. Raises NoServer."""

    def __init__(self, stack: ExitStack) -> None:
        self.server = stack.enter_context(postgres())
        self.url = f"{self.server}/{DATABASE}"
        self._execute(f"create database {DATABASE}")

    def end_sessions(self) -> None:
        self._execute(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{DATABASE}'")

    def allow_connections(self, allowed: bool) -> None:
        self._execute(f"alter database {DATABASE} allow_connections {'true' if allowed else 'false'}")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
            connection.execute(statement)


class Broker:
    """A Redis server that always has the same port. Raises NoServer."""

    def __init__(self, stack: ExitStack) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.running = ExitStack()
        stack.callback(self.stop)
        self.start()

    def start(self) -> None:
        self.running.enter_context(redis_server(self.port))

    def stop(self) -> None:
        self.running.close()

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)
