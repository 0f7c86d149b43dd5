"""A Redis that a test may hurt."""

import signal
import socket

import redis

from tests.servers import new_folder, redis_program, start, wait_until_up


class OwnRedis:
    """A Redis that keeps nothing, and may be killed, paused, and started again at the same address."""

    def __init__(self) -> None:
        self.folder = new_folder("redis")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        log = self.folder / "log"
        options = f"--port {self.port} --bind 127.0.0.1 --dir {self.folder} --appendonly no --save".split()
        command = [str(redis_program()), *options, ""]
        self.server = start(command, log=log, stop=signal.SIGTERM, cwd="/")
        wait_until_up(self.server, self.client().ping, log)

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)

    def kill(self) -> None:
        self.server.kill()
        self.server.wait()

    def pause(self) -> None:
        """From now on it takes connections and answers nothing."""
        self.server.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.server.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.resume()  # a paused process hears no other signal until then
        self.kill()
