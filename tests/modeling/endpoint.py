"""An OpenAI-compatible endpoint on this machine, which answers as it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, Any]]


@dataclass
class Asked:
    """What came, in order; `most` were under way at once."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    most: int = 0
    now: int = 0


def completion(text: str) -> Answer:
    return 200, {
        "choices": [{"text": text}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


@contextmanager
def endpoint(answer: Callable[[Asked, dict[str, Any]], Answer]) -> Iterator[Asked]:
    asked, lock = Asked(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                asked.bodies.append(body)
                asked.paths.append(self.path)
                asked.keys.append(self.headers.get("Authorization", ""))
                asked.now += 1
                asked.most = max(asked.most, asked.now)
            status, said = answer(asked, body)
            with lock:
                asked.now -= 1
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Not on the tests' screen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    asked.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
