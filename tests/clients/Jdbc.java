import java.math.BigDecimal;
import java.sql.*;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** pgjdbc: prepared statements up to the server-side ones, batches, fetch sizes, metadata. */
public class Jdbc {
    static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) throws Exception {
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/"
                + System.getenv("PGDATABASE");
        try (Connection conn = DriverManager.getConnection(url, System.getenv("PGUSER"), "")) {
            try (Statement statement = conn.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS part");
                statement.execute("CREATE TABLE part (id bigserial PRIMARY KEY, name varchar(40) NOT NULL, price numeric(8,2),"
                        + " made timestamp, key uuid, ok boolean DEFAULT true, tags text[])");
            }
            UUID key = UUID.randomUUID();
            Timestamp made = Timestamp.valueOf("2024-01-02 03:04:05.678");
            try (PreparedStatement insert = conn.prepareStatement(
                    "INSERT INTO part (name, price, made, key, tags) VALUES (?, ?, ?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                insert.setString(1, "bolt");
                insert.setBigDecimal(2, new BigDecimal("1.25"));
                insert.setTimestamp(3, made);
                insert.setObject(4, key);
                insert.setArray(5, conn.createArrayOf("text", new String[] {"a", "b"}));
                check(insert.executeUpdate() == 1, "one row");
                ResultSet keys = insert.getGeneratedKeys();
                check(keys.next() && keys.getLong(1) == 1, "the key is 1");
            }
            try (PreparedStatement select = conn.prepareStatement("SELECT * FROM part WHERE id = ?")) {
                for (int n = 0; n < 10; n++) { // after the fifth it is named and binary
                    select.setLong(1, 1);
                    ResultSet rows = select.executeQuery();
                    check(rows.next(), "it is there");
                    check(rows.getString("name").equals("bolt"), "name");
                    check(rows.getBigDecimal("price").equals(new BigDecimal("1.25")), "price");
                    check(rows.getTimestamp("made").equals(made), "made");
                    check(rows.getObject("key").equals(key), "key");
                    check(rows.getBoolean("ok"), "ok");
                    check(((String[]) rows.getArray("tags").getArray())[1].equals("b"), "tags");
                    check(!rows.next(), "once");
                }
            }
            conn.setAutoCommit(false);
            try (PreparedStatement batch = conn.prepareStatement("INSERT INTO part (name, price) VALUES (?, ?)")) {
                for (int n = 0; n < 100; n++) {
                    batch.setString(1, "p" + n);
                    batch.setInt(2, n);
                    batch.addBatch();
                }
                check(batch.executeBatch().length == 100, "a batch");
            }
            try (PreparedStatement select = conn.prepareStatement("SELECT id FROM part ORDER BY id")) {
                select.setFetchSize(7);
                ResultSet rows = select.executeQuery();
                int count = 0;
                while (rows.next()) check(rows.getLong(1) == ++count, "in order");
                check(count == 101, "all, in parts");
            }
            Savepoint savepoint = conn.setSavepoint();
            try (Statement statement = conn.createStatement()) {
                statement.executeUpdate("DELETE FROM part WHERE id > 1");
                conn.rollback(savepoint);
                try {
                    statement.executeUpdate("INSERT INTO part (id, name) VALUES (1, 'again')");
                    check(false, "there is one");
                } catch (SQLException error) {
                    check(error.getSQLState().equals("23505"), error.toString());
                }
            }
            conn.rollback();
            conn.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            check(conn.getTransactionIsolation() == Connection.TRANSACTION_SERIALIZABLE, "isolation");
            try (Statement statement = conn.createStatement()) {
                check(statement.executeUpdate("UPDATE part SET price = price * 2") == 1, "an update");
            }
            conn.commit();
            DatabaseMetaData data = conn.getMetaData();
            List<String> columns = new ArrayList<>();
            ResultSet rows = data.getColumns(null, "public", "part", null);
            while (rows.next()) columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME"));
            check(columns.subList(0, 3).equals(List.of("id bigserial", "name varchar", "price numeric")), columns.toString());
            rows = data.getPrimaryKeys(null, "public", "part");
            check(rows.next() && rows.getString("COLUMN_NAME").equals("id"), "the primary key");
            rows = data.getTables(null, "public", "%", new String[] {"TABLE"});
            boolean found = false;
            while (rows.next()) found |= rows.getString("TABLE_NAME").equals("part");
            check(found, "the table");
            conn.commit();
            System.out.println("pgjdbc " + data.getDriverVersion());
        }
    }
}
