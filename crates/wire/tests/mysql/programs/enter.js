// Logs in as each of some users, and says of each whether it came in.
const mysql = require('mysql2');

const [host, port, , ...logins] = process.argv.slice(2);

function enter() {
  if (logins.length === 0) return;
  const [user, password] = logins.splice(0, 2);
  const connection = mysql.createConnection({ host, port: Number(port), user, password });
  connection.connect((error) => {
    console.log(error ? `${error.errno} ${error.sqlMessage}` : 'in');
    connection.destroy();
    enter();
  });
}

enter();
