// node-postgres: simple and parameterised queries, named statements, a pool, errors with their fields.
const assert = require("node:assert/strict");
const { Client, Pool } = require("pg");

const connectionString = process.env.DATABASE_URL;

async function main() {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query("DROP TABLE IF EXISTS note; CREATE TABLE note (id serial PRIMARY KEY, text text NOT NULL, n int, at timestamptz, data jsonb, tags text[], raw bytea)");
  const at = new Date("2024-02-29T12:34:56.789Z");
  const values = ["hello", 7, at, { a: [1, 2] }, ["x", "y z"], Buffer.from([0, 255])];
  const inserted = await client.query(
    "INSERT INTO note (text, n, at, data, tags, raw) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *", values);
  assert.equal(inserted.rowCount, 1);
  assert.equal(inserted.command, "INSERT");
  assert.deepEqual(inserted.rows[0], { id: 1, text: "hello", n: 7, at, data: { a: [1, 2] }, tags: ["x", "y z"], raw: Buffer.from([0, 255]) });
  for (let n = 0; n < 3; n++) {
    const { rows } = await client.query({ name: "by-id", text: "SELECT text, n FROM note WHERE id = $1", values: [1] });
    assert.deepEqual(rows, [{ text: "hello", n: 7 }]);
  }
  const several = await client.query("SELECT 1 AS one; SELECT 2 AS two");
  assert.deepEqual(several.map((result) => result.rows), [[{ one: 1 }], [{ two: 2 }]]);

  await client.query("BEGIN");
  await client.query("UPDATE note SET n = n + 1 WHERE id = $1", [1]);
  await client.query("ROLLBACK");
  assert.equal((await client.query("SELECT n FROM note")).rows[0].n, 7);
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  assert.equal((await client.query("SHOW transaction_isolation")).rows[0].transaction_isolation, "repeatable read");
  await client.query("COMMIT");
  await assert.rejects(client.query("INSERT INTO note (id, text) VALUES (1, 'again')"),
    (error) => error.code === "23505" && error.constraint === "note_pkey" && error.table === "note");
  await assert.rejects(client.query("SELECT * FROM nowhere"), (error) => error.code === "42P01" && error.position === "15");
  const { rows } = await client.query(
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position LIMIT 2", ["note"]);
  assert.deepEqual(rows, [{ column_name: "id", data_type: "integer" }, { column_name: "text", data_type: "text" }]);
  await client.end();

  const pool = new Pool({ connectionString, max: 4 });
  const counts = await Promise.all(Array.from({ length: 20 }, () => pool.query("SELECT count(*)::int AS n FROM note")));
  assert.ok(counts.every((result) => result.rows[0].n === 1));
  await pool.end();
  console.log("node pg", require("pg/package.json").version);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
