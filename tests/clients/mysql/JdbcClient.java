// MariaDB Connector/J: statements of the client and of the server, batches, generated keys, cursors.
import java.sql.*;

public class JdbcClient {
    static void show(ResultSet rows) throws SQLException {
        int count = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            StringBuilder line = new StringBuilder();
            for (int at = 1; at <= count; at++) {
                line.append(rows.getMetaData().getColumnLabel(at)).append('=').append(rows.getString(at)).append(' ');
            }
            System.out.println(line);
        }
    }

    public static void main(String[] args) throws Exception {
        for (String option : new String[] {"", "useServerPrepStmts=true", "useServerPrepStmts=true&useCursorFetch=true"}) {
            String url = "jdbc:mariadb://" + args[0] + ":" + args[1] + "/shop?" + option;
            try (Connection connection = DriverManager.getConnection(url, args[2], args[3]); Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS item");
                statement.execute("CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) UNIQUE, price DECIMAL(10,2), at DATETIME(3))");
                connection.setAutoCommit(false);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item (name, price, at) VALUES (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                    for (int n = 1; n <= 3; n++) {
                        insert.setString(1, "n" + n);
                        insert.setBigDecimal(2, new java.math.BigDecimal("1.5" + n));
                        insert.setTimestamp(3, n == 3 ? null : Timestamp.valueOf("2020-01-02 03:04:05.678"));
                        insert.executeUpdate();
                        show(insert.getGeneratedKeys());
                    }
                }
                connection.commit();
                try (PreparedStatement select = connection.prepareStatement("SELECT name, price, at FROM item WHERE id >= ? ORDER BY id")) {
                    select.setFetchSize(2);
                    select.setInt(1, 1);
                    show(select.executeQuery());
                }
                try {
                    statement.executeUpdate("INSERT INTO item (name) VALUES ('n1')");
                } catch (SQLException error) {
                    System.out.println(error.getErrorCode() + " " + error.getSQLState());
                }
                Savepoint savepoint = connection.setSavepoint("s");
                System.out.println(statement.executeUpdate("DELETE FROM item"));
                connection.rollback(savepoint);
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                show(statement.executeQuery("SELECT COUNT(*) AS n FROM item"));
                connection.commit();
                connection.setAutoCommit(true);
                System.out.println(connection.isValid(5) + " " + connection.getCatalog());
                statement.execute("DROP TABLE item");
            }
        }
    }
}
