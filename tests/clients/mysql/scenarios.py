"""The recorded scripts of two and three sessions, played through PyMySQL: rows, counts, insert ids, warnings, errors with
their words, and waits have to be those of the server that a port claims to be.

    scenarios.py HOST PORT USER PASSWORD FILE SERVER EVERY PORT…

FILE is corpus/mysql/scenarios.json, SERVER one of its servers. With EVERY above 1 one of so many outcomes is played. Every port takes its share of the outcomes, one after the
other. Prints what differs, and how many there were."""
import json
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pymysql

host, _, user, password, file, server, every = sys.argv[1:8]
ports = [int(port) for port in sys.argv[8:]]
OVER = 1205
# The one that messages were recorded with.
DATABASE = "scen"


def connect(port, **more):
    return pymysql.connect(host=host, port=port, user=user, password=password, autocommit=True, **more)


def ask(connection, sql):
    """What a statement is answered, in the words of the file."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(sql)
        except pymysql.MySQLError as error:
            return {"error": error.args[0], "message": error.args[1]}
        if cursor.description:
            return {"rows": [list(row) for row in cursor.fetchall()]}
        told = {"affected": cursor.rowcount, "insert_id": cursor.lastrowid, "warnings": cursor.warning_count}
        return {name: value for name, value in told.items() if value or name == "affected"}


class Session:
    """A connection on a thread of its own, which is asked one thing at a time."""

    def __init__(self, port, database, first, answers):
        self.connection = connect(port, database=database)
        for sql in first:
            answer = ask(self.connection, sql)
            assert "error" not in answer, (sql, answer)
        self.id = self.connection.thread_id()
        self.asked, self.answers = queue.Queue(), answers
        self.steps, self.impatient = [], False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        for sql in iter(self.asked.get, None):
            self.answers.put((self, ask(self.connection, sql)))
        self.connection.close()

    def say(self, sql):
        self.impatient |= "innodb_lock_wait_timeout" in sql
        self.asked.put(sql)


class Waiting:
    """Who waits for a lock, as the server tells it."""

    LOOK = (
        "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' UNION "
        "SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'"
    )

    def __init__(self, port):
        self.connection = connect(port)

    def all(self, sessions):
        """Whether all of these wait: seen twice, since who was just let go may still look like it."""
        for _ in range(2):
            seen = {row[0] for row in ask(self.connection, self.LOOK)["rows"]}
            # One that gives up soon is waited for until it does.
            if not all(session.id in seen and not session.impatient for session in sessions):
                return False
            time.sleep(0.002)
        return True


def settle(sessions, answers, waiting):
    """The next answer and whose it is; nothing once all are idle or wait."""
    start = time.monotonic()
    while time.monotonic() < start + 20:
        busy = [session for session in sessions if session.steps]
        if not busy:
            return None
        try:
            return answers.get(timeout=0.01)
        except queue.Empty:
            if waiting.all(busy) and answers.empty():
                return None
    return None


def play(steps, sessions, answers, waiting):
    played, waited = [{"error": "never answered"} for _ in steps], set()
    for now in range(len(steps) + 1):
        if now < len(steps):
            name, sql = steps[now]
            session = sessions["ABC".index(name)]
            session.steps.append(now)
            if len(session.steps) == 1:
                session.say(sql)
            else:
                waited.add(now)
        while answered := settle(sessions, answers, waiting):
            session, answer = answered
            step = session.steps.pop(0)
            played[step] = answer | ({"waited": True, "until_step": now} if step in waited else {})
            if session.steps:
                session.say(steps[session.steps[0]][1])
        waited.update(step for session in sessions for step in session.steps)
    return played


def worded(step):
    """A step with as much of its message as was kept: 120 characters. In one message hob names another table than the servers
    do, as docs/mysql.md says: 1020 that of a row that is only referred to."""
    message = step.get("message", "")[:120]
    if step.get("error") == 1020:
        message = message.replace("'p'", "'c'")
    return step | {"message": message}


def alike(recorded, answered):
    recorded, answered = worded(recorded), worded(answered)
    # A wait that ran out is not told as one.
    if recorded.get("error") == OVER:
        answered = {name: answered[name] for name in answered if name not in ("waited", "until_step")}
        recorded = {name: recorded[name] for name in recorded if name not in ("waited", "until_step")}
    return recorded == answered


def look(port, control, waiting, scenario, level, outcome):
    """What differs at a level, in lines."""
    setup = [f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", f"USE {DATABASE}"]
    for sql in setup + scenario["setup"]:
        answer = ask(control, sql)
        if "error" in answer:
            return [f"  {sql}: {answer}"]
    name, _, switch = level.partition(", ")
    first = [f"SET SESSION TRANSACTION ISOLATION LEVEL {name}"] + [f"SET {switch}"] * bool(switch)
    answers = queue.Queue()
    sessions = [Session(port, DATABASE, first, answers) for _ in "ABC"]
    steps = scenario["steps"]
    played = play(steps, sessions, answers, waiting)
    final = ask(control, scenario["final_query"])["rows"]
    for session in sessions:
        session.asked.put(None)
    recorded = [outcome] + [outcome[name] for name in ["another_run"] if name in outcome]
    for run in recorded:
        if all(map(alike, run["steps"], played)) and run["final"] == final:
            return []
    lines = []
    for (session, sql), theirs, ours in zip(steps, outcome["steps"], played):
        lines.append(f"  {' ' if alike(theirs, ours) else '!'} {session}: {sql}: {theirs} | {ours}")
    if outcome["final"] != final:
        lines.append(f"  ! {scenario['final_query']}: {outcome['final']} | {final}")
    return lines


def share(port, outcomes, told):
    control, waiting = connect(port), Waiting(port)
    while True:
        try:
            number, scenario, level, outcome = outcomes.get_nowait()
        except queue.Empty:
            return
        lines = look(port, control, waiting, scenario, level, outcome)
        ask(control, f"DROP DATABASE {DATABASE}")
        if lines:
            told.append((number, "\n".join([f"differs: {scenario['name']}, {server}, {level}"] + lines)))


with open(file, encoding="utf-8") as text:
    scenarios = json.load(text)["scenarios"]
all_of_them = [(scenario, *outcome) for scenario in scenarios for outcome in scenario["outcomes"][server].items()]
todo, told = queue.Queue(), []
for number in range(0, len(all_of_them), int(every)):
    todo.put((number, *all_of_them[number]))
count = todo.qsize()
with ThreadPoolExecutor(len(ports)) as pool:
    for done in [pool.submit(share, port, todo, told) for port in ports]:
        done.result()
for _, lines in sorted(told):
    print(lines)
print(f"{count} outcomes of {server}, {len(told)} differ")
