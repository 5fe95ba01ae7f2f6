"""A rank asks a server for a licence, and the server takes the request but never answers."""
# WAITS socket
import functools
import json
import socket
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Server(threading.Thread):
    """Stands for the server of another machine; one for each rank."""

    def __init__(self, silent):
        super().__init__(daemon=True)
        self.silent = silent
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()

    def run(self):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rw") as stream:
            for line in stream:
                request = json.loads(line)
                if request["feature"] == self.silent:
                    continue
                print(json.dumps({"granted": request["feature"]}), file=stream, flush=True)


class Denied(RuntimeError):
    pass


class Session:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.stream = self.socket.makefile("rw")

    def _send(self, **request):
        self.stream.write(json.dumps(request) + "\n")
        self.stream.flush()

    def _receive(self):
        line = self.stream.readline()  # HANGS 0 Session._receive
        if not line:
            raise ConnectionError("the licence server has gone")
        return json.loads(line)

    def checkout(self, feature):
        self._send(feature=feature, rank=comm.rank)
        if self._receive().get("granted") != feature:
            raise Denied(feature)


@functools.lru_cache(maxsize=None)
def session():
    server = Server("contact" if sys.argv[1] == "hang" and comm.rank == 0 else None)
    server.start()
    return Session(server.address)


def licensed(feature):
    """Makes a function take a licence each time that it is called."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            session().checkout(feature)
            return function(*args, **kwargs)

        return wrapper

    return decorate


@licensed("mesh")
def mesh(n):
    return comm.bcast(list(range(n)), root=0)


@licensed("contact")
def contact(cells):
    return comm.allreduce(sum(cells[comm.rank::comm.size]))


if contact(mesh(20)) != 190:
    raise SystemExit("wrong sum")
