import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.io.ByteArrayInputStream;
import java.sql.*;
import java.util.Arrays;

/** What MariaDB Connector/J hears: prepared on the server, streams as long data, batches, results in pieces. */
public class JdbcClient {
    static String shown(Object value) {
        if (value instanceof byte[]) {
            byte[] bytes = (byte[]) value;
            return bytes.length + " bytes " + Arrays.hashCode(bytes);
        }
        String text = String.valueOf(value);
        return text.length() < 200 ? text : text.length() + " letters";
    }

    static void rows(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        StringBuilder line = new StringBuilder("  ");
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            line.append(columns.getColumnLabel(i)).append(' ').append(columns.getColumnTypeName(i)).append(' ')
                .append(columns.getPrecision(i)).append(' ').append(columns.getScale(i)).append(' ')
                .append(columns.isNullable(i)).append(' ').append(columns.isSigned(i)).append("; ");
        }
        System.out.println(line);
        while (rows.next()) {
            line = new StringBuilder("  ");
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                try {
                    line.append(shown(rows.getString(i))).append(" | ");
                } catch (SQLException error) {
                    line.append(error.getMessage()).append(" | ");
                }
            }
            System.out.println(line);
        }
    }

    static void run(Statement statement, String sql) {
        try {
            boolean has = statement.execute(sql);
            System.out.println(sql.substring(0, Math.min(60, sql.length())));
            while (true) {
                if (has) rows(statement.getResultSet());
                else if (statement.getUpdateCount() == -1) break;
                else System.out.println("  " + statement.getUpdateCount());
                has = statement.getMoreResults();
            }
        } catch (SQLException error) {
            System.out.println(error.getErrorCode() + " " + error.getSQLState());
        }
    }

    public static void main(String[] args) throws Exception {
        String options = "&useSSL=false&allowMultiQueries=true&useServerPrepStmts=true";
        String url = "jdbc:mariadb://" + args[0] + ":" + args[1] + "/shop?user=" + args[2] + "&password="
            + args[3].replace(" ", "%20") + options;
        java.util.Properties login = new java.util.Properties();
        login.setProperty("user", args[2]);
        login.setProperty("password", args[3]);
        url = "jdbc:mariadb://" + args[0] + ":" + args[1] + "/shop?" + options.substring(1);
        try (Connection connection = DriverManager.getConnection(url, login)) {
            Statement statement = connection.createStatement();
            for (String line : Files.readAllLines(Paths.get(args[4]), StandardCharsets.UTF_8)) run(statement, line);
            run(statement, "SELECT * FROM kinds ORDER BY id");
            run(statement, "SELECT 1; SELECT 2; UPDATE orders SET amount = 1");
            PreparedStatement all = connection.prepareStatement("SELECT * FROM kinds WHERE id > ? ORDER BY id");
            all.setInt(1, 0);
            rows(all.executeQuery());
            PreparedStatement echo = connection.prepareStatement("SELECT ?, ?, ?, ?, ?, ?, ?, ?");
            echo.setByte(1, (byte) -3);
            echo.setShort(2, (short) 300);
            echo.setLong(3, Long.MIN_VALUE);
            echo.setFloat(4, 1.5f);
            echo.setDouble(5, -2.25);
            echo.setBigDecimal(6, new BigDecimal("12.340"));
            echo.setNull(7, Types.VARCHAR);
            echo.setBytes(8, new byte[] {0, -1});
            rows(echo.executeQuery());
            echo.setDate(1, Date.valueOf("2020-01-02"));
            echo.setTimestamp(2, Timestamp.valueOf("2020-01-02 03:04:05.678"));
            echo.setTime(3, Time.valueOf("01:02:03"));
            echo.setString(4, "ü😀");
            echo.setBoolean(5, true);
            echo.setObject(6, "object");
            echo.setInt(7, 7);
            echo.setNull(8, Types.INTEGER);
            rows(echo.executeQuery());
            PreparedStatement piece = connection.prepareStatement("SELECT ?, LENGTH(?)");
            byte[] big = new byte[200000];
            Arrays.fill(big, (byte) 'p');
            piece.setBinaryStream(1, new ByteArrayInputStream(big));
            piece.setBinaryStream(2, new ByteArrayInputStream(big));
            rows(piece.executeQuery());
            PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (name, amount) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
            for (int i = 0; i < 3; i++) {
                insert.setString(1, "order " + i);
                insert.setBigDecimal(2, BigDecimal.valueOf(i));
                insert.addBatch();
            }
            System.out.println(Arrays.toString(insert.executeBatch()));
            rows(insert.getGeneratedKeys());
            insert.setString(1, "order 1");
            try {
                insert.executeUpdate();
            } catch (SQLException error) {
                System.out.println(error.getErrorCode() + " " + error.getSQLState());
            }
            connection.setAutoCommit(false);
            PreparedStatement streamed = connection.prepareStatement("SELECT id, name FROM orders ORDER BY id");
            streamed.setFetchSize(2);
            rows(streamed.executeQuery());
            connection.rollback();
            System.out.println(connection.isValid(1));
            connection.setCatalog("mysql");
            System.out.println(connection.getCatalog());
        }
        login.setProperty("password", "wrong");
        try {
            DriverManager.getConnection(url, login);
        } catch (SQLException error) {
            System.out.println(error.getErrorCode() + " " + error.getSQLState());
        }
    }
}
