// The same shop in Node, which sells its last item twice at READ COMMITTED.
//
//     npm install pg
//     hob test --until-fail -- node examples/sql/stock_node.mjs
//     hob test -- node examples/sql/stock_node.mjs --fixed
//
// With `--fixed` the UPDATE checks the stock itself.

import { createRequire } from "node:module";
import path from "node:path";

// `pg` of the folder node is started in, wherever this file is.
const { default: pg } = await import(
  createRequire(path.join(process.cwd(), "package.json")).resolve("pg")
);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const fixed = process.argv.includes("--fixed");

async function buy(id) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT stock FROM item WHERE id = $1", [id]);
    const left = rows[0].stock - 1;
    if (left >= 0) {
      const { rowCount } = fixed
        ? await client.query("UPDATE item SET stock = stock - 1 WHERE id = $1 AND stock > 0", [id])
        : await client.query("UPDATE item SET stock = $2 WHERE id = $1", [id, left]);
      if (rowCount) await client.query("INSERT INTO orders (item_id) VALUES ($1)", [id]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

await pool.query("CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL)");
await pool.query("CREATE TABLE orders (id serial PRIMARY KEY, item_id int REFERENCES item (id))");
await pool.query("INSERT INTO item VALUES (1, 1)");
await Promise.all([buy(1), buy(1), buy(1)]);
const { rows } = await pool.query("SELECT count(*)::int AS sold FROM orders");
await pool.end();
if (rows[0].sold > 1) {
  console.error(`one item in stock, ${rows[0].sold} sold`);
  process.exit(1);
}
