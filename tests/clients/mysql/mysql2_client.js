// mysql2: text and prepared statements, a pool, transactions, streams.
const mysql = require('mysql2/promise');
const [host, port, user, password] = process.argv.slice(2);

async function main() {
  const pool = mysql.createPool({ host, port: Number(port), user, password, database: 'shop', connectionLimit: 3 });
  await pool.query('DROP TABLE IF EXISTS item');
  await pool.query('CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) UNIQUE, price DECIMAL(10,2), at DATETIME)');
  const [inserted] = await pool.query('INSERT INTO item (name, price, at) VALUES ?', [[['one', 1.5, '2020-01-02 03:04:05'], ['two', null, null]]]);
  console.log(inserted.affectedRows, inserted.insertId, inserted.info);
  console.log((await pool.query({ sql: 'SELECT * FROM item ORDER BY id', dateStrings: true }))[0]);
  for (const id of [1, 2, 3]) {
    console.log((await pool.execute('SELECT name, price FROM item WHERE id = ?', [id]))[0]);
  }
  const [changed] = await pool.execute('UPDATE item SET price = ? WHERE name = ?', ['7.25', 'two']);
  console.log(changed.affectedRows, changed.changedRows);
  try {
    await pool.execute('INSERT INTO item (name) VALUES (?)', ['one']);
  } catch (error) {
    console.log(error.code, error.errno, error.sqlState, error.sqlMessage);
  }
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  await connection.execute('DELETE FROM item WHERE id = ?', [1]);
  await connection.rollback();
  const [rows, fields] = await connection.query('SELECT COUNT(*) AS n FROM item');
  console.log(rows, fields.map((field) => field.name));
  connection.release();
  await Promise.all([1, 2, 3, 4, 5, 6].map(() => pool.execute('UPDATE item SET price = price + 1 WHERE id = 1')));
  console.log((await pool.query('SELECT price FROM item WHERE id = 1'))[0]);
  await pool.query('DROP TABLE item');
  await pool.end();
}
main();
