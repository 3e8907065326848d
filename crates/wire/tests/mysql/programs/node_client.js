// What mysql2 hears: texts and prepared statements, several statements, a changed user.
const crypto = require('crypto');
const fs = require('fs');
const mysql = require('mysql2/promise');

const [host, port, user, password, tables] = process.argv.slice(2);

function shown(value) {
  const text = JSON.stringify(value, (_, v) => (typeof v === 'string' && v.length > 400 ? `${v.length} letters` : v));
  return text.length < 3000 ? text : `${text.length} letters ${crypto.createHash('sha256').update(text).digest('hex')}`;
}

async function main() {
  const login = { host, port: Number(port), user, password, timezone: 'Z', dateStrings: true, supportBigNumbers: true, bigNumberStrings: true };
  const connection = await mysql.createConnection({ ...login, database: 'shop', multipleStatements: true });
  const run = async (how, sql, values) => {
    try {
      const [rows, fields] = await connection[how](sql, values);
      console.log(how, sql.slice(0, 60), shown(rows));
      const column = (f) => [f.name, f.orgName, f.table, f.orgTable, f.schema, f.columnType, f.columnLength, f.characterSet, f.flags, f.decimals];
      if (fields) console.log('  ', shown(fields.filter((f) => f && f.name).map(column)));
    } catch (error) {
      console.log(how, sql.slice(0, 60), error.code, error.errno, error.sqlState, error.sqlMessage);
    }
  };
  for (const line of fs.readFileSync(tables, 'utf8').trimEnd().split('\n')) await run('query', line);
  await run('query', 'SELECT * FROM kinds ORDER BY id');
  await run('execute', 'SELECT * FROM kinds WHERE id > ? ORDER BY id', [0]);
  await run('execute', 'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e', ['text', 1.5, null, Buffer.from([0, 255]), true]);
  await run('execute', 'SELECT ? AS a, ? AS b', [new Date(Date.UTC(2020, 0, 2, 3, 4, 5, 678)), { a: [1] }]);
  await run('execute', 'INSERT INTO orders (name, amount) VALUES (?, ?)', ['one', '1.25']);
  await run('execute', 'INSERT INTO orders (name, amount) VALUES (?, ?)', ['one', '1.25']);
  await run('execute', 'UPDATE orders SET amount = ? WHERE name = ?', [2, 'one']);
  await run('execute', 'SELECT * FROM nowhere WHERE a = ?', [1]);
  await run('query', "SELECT 1 AS a; SELECT 'x' AS b, NULL AS c; UPDATE orders SET amount = 3; SELEKT");
  const long = 'w'.repeat(17000000);
  const [rows] = await connection.execute('SELECT ? AS w, LENGTH(?) AS l', [long, long]);
  console.log(rows[0].w === long, rows[0].l);
  await connection.ping();
  await connection.beginTransaction();
  await run('query', "INSERT INTO orders (name) VALUES ('two')");
  await connection.rollback();
  await connection.changeUser({ user, password, database: 'mysql' });
  await run('query', 'SELECT DATABASE() AS d');
  await connection.end();
  for (const change of [{ password: 'wrong' }, { password: '' }, { database: 'nowhere' }]) {
    try {
      await mysql.createConnection({ ...login, ...change });
      console.log('connected');
    } catch (error) {
      console.log(error.code, error.errno, error.sqlState, error.sqlMessage || error.message);
    }
  }
}

main().catch((error) => {
  console.log(String(error.stack));
  process.exit(1);
});
