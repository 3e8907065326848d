#!/usr/bin/env python3
"""A shopping cart tested under weak isolation, with nothing but the standard library.

    hob test --level RC --until-fail -- python3 examples/cart.py

`hob test` starts a store for every run and tells its address in HOB_HTTP_URL. The cart holds an item. One
browser tab adds another one, a second tab deletes all of them, and a third looks twice. Whoever saw the cart
empty must not find two items later: only one was added.
"""

import http.client
import json
import os
import random
import sys
from urllib.parse import urlsplit

CART = "cart:1"


class Aborted(Exception):
    """The store aborted the transaction: run it again."""


class Session:
    """A session of the store; each has its own transactions."""

    def __init__(self, url, name):
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc)
        self.path = "/v1/sessions/" + self.post("/v1/sessions", {"name": name})["session"]

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body))
        response = self.connection.getresponse()
        answer = json.loads(response.read() or "{}")
        if response.status == 409 and answer.get("retry"):
            raise Aborted(answer["detail"])
        if response.status >= 400:
            sys.exit(f"{answer.get('title')}: {answer.get('detail')}")
        return answer

    def get(self, key):
        return self.post(self.path + "/get", {"key": key})["value"]

    def put(self, key, value):
        self.post(self.path + "/put", {"key": key, "value": value})

    def transaction(self, body):
        """Runs a function as one transaction, again when the store aborts it."""
        while True:
            try:
                self.post(self.path + "/begin", {})
                result = body(self)
                self.post(self.path + "/commit", {})
                return result
            except Aborted:
                pass


def add(session):
    session.put(CART, session.get(CART) + ["book"])


def delete(session):
    session.put(CART, [item for item in session.get(CART) if item != "book"])


def look(session):
    return session.get(CART)


def main():
    url = os.environ.get("HOB_HTTP_URL")
    if not url:
        sys.exit("HOB_HTTP_URL is not set; run this under `hob test`, or start `hob serve` and set it")
    schedule = random.Random(int(os.environ.get("HOB_SEED", "0")))

    setup = Session(url, "setup")
    setup.put(CART, ["book"])
    setup.post("/v1/fence", {})  # Everybody sees the cart as it is now.

    left = [
        (Session(url, "adds"), [add]),
        (Session(url, "deletes"), [delete]),
        (Session(url, "looks"), [look, look]),
    ]
    seen = []
    while left:
        session, operations = schedule.choice(left)
        result = session.transaction(operations.pop(0))
        if result is not None:
            seen.append(result)
        left = [(session, rest) for session, rest in left if rest]

    print(f"saw {seen[0]} and then {seen[1]}")
    if seen == [[], ["book", "book"]]:
        sys.exit("the cart was empty, and then held two books, though only one was added")


if __name__ == "__main__":
    main()
