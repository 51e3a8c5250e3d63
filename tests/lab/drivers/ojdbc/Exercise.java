// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's JDBC driver, any version; ../README.md describes what this program does.
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;

public class Exercise {
    static String[] arguments;
    static Connection connection;

    interface Run {
        void run() throws Exception;
    }

    static void check(String name, Object got, Object want) {
        String wrong = Objects.deepEquals(got, want) ? "" : show(got) + ", not " + show(want);
        wrong = wrong.substring(0, Math.min(500, wrong.length()));
        StringBuilder json = new StringBuilder();
        for (char c : wrong.toCharArray())
            json.append(c < ' ' || c > '~' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : "" + c);
        System.out.println("{\"check\": \"" + name + "\", \"wrong\": \"" + json + "\"}");
        System.out.flush();
    }

    /** Says what the version cannot do, and is therefore not asked. */
    static void leftOut(String what) {
        check("left out: " + what, null, null);
    }

    static String show(Object value) {
        if (value instanceof int[])
            return Arrays.toString((int[]) value);
        if (value instanceof byte[])
            return Arrays.toString((byte[]) value);
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    static String failure(Run run) {
        try {
            run.run();
        } catch (Exception e) {
            String text = String.valueOf(e.getMessage());
            return text.contains("ORA-") ? text.substring(text.indexOf("ORA-"), text.indexOf("ORA-") + 9) : text;
        }
        return "done";
    }

    static Connection connect(Properties more) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", "scott");
        properties.put("password", "tiger");
        properties.putAll(more);
        String url = String.format(
            "jdbc:oracle:thin:@(DESCRIPTION=(SDU=%s)(ADDRESS=(PROTOCOL=tcp)(HOST=%s)(PORT=%s))(CONNECT_DATA=(SERVICE_NAME=%s)))",
            arguments[3], arguments[0], arguments[1], arguments[2]);
        return DriverManager.getConnection(url, properties);
    }

    static Properties with(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2)
            properties.put(pairs[i], pairs[i + 1]);
        return properties;
    }

    static List<List<Object>> rows(PreparedStatement statement) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++)
                    row.add(result.getString(i));
                rows.add(row);
            }
        }
        return rows;
    }

    static List<List<Object>> rows(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return rows(statement);
        }
    }

    static void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String times(String text, int n) {
        return String.join("", Collections.nCopies(n, text));
    }

    static List<Integer> lengths() {
        List<Integer> lengths = new ArrayList<>();
        for (String part : arguments[4].split(",")) {
            String[] ends = part.split("-");
            for (int n = Integer.parseInt(ends[0]); n <= Integer.parseInt(ends[1]); n++)
                lengths.add(n);
        }
        return lengths;
    }

    static void checkLengths() throws SQLException {
        List<String> wrong = new ArrayList<>();
        Timestamp moment = Timestamp.valueOf("2024-07-01 12:34:56.123456789");
        List<Object> want = Arrays.asList("v1", "12.5", null, "00FEFF", "\u00e9\u20ac", "2024-07-01 12:34:56.123456789");
        for (int n : lengths())
            try (PreparedStatement s = connection.prepareStatement("select " + times(" ", n) + "? s, ? n, ?, ? r, ?, ? t from dual")) {
                s.setString(1, "v1");
                s.setDouble(2, 12.5);
                s.setNull(3, Types.VARCHAR);
                s.setBytes(4, new byte[] {0, -2, -1});
                s.setString(5, "\u00e9\u20ac");
                s.setTimestamp(6, moment);
                List<List<Object>> got = rows(s);
                if (!got.equals(List.of(want)))
                    wrong.add(n + ": " + got);
            }
        check("binds after a statement of any length", wrong, List.of());
        wrong.clear();
        for (int n : lengths())
            try (CallableStatement block = connection.prepareCall("begin " + times(" ", n) + "select 'v' || ?, 7 into ?, ? from dual; end;")) {
                block.setInt(1, n);
                block.registerOutParameter(2, Types.VARCHAR);
                block.registerOutParameter(3, Types.INTEGER);
                block.execute();
                if (!block.getString(2).equals("v" + n) || block.getInt(3) != 7)
                    wrong.add(n + ": " + block.getString(2));
            }
        check("binds of a block of any length", wrong, List.of());
        wrong.clear();
        for (int n : lengths()) {
            String size = "" + n % 4000, sql = "select ";
            for (int i = 0; i < n / 4000; i++)
                sql += "lpad('x', 4000, 'x') c" + i + ", ";
            List<List<Object>> got = rows(sql + "lpad('x', " + size + ", 'x') x, level n from dual connect by level <= 3");
            int sum = 0;
            for (List<Object> row : got)
                for (Object value : row)
                    sum += value == null ? 0 : value.toString().length();
            if (got.size() != 3 || sum != 3 * n + 3)
                wrong.add(n + ": " + got.size() + " " + sum);
        }
        check("rows of any length", wrong, List.of());
        wrong.clear();
        execute("create table lengths (n number, v varchar2(4000))");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into lengths values (?, ?)")) {
            for (int n : lengths()) {
                StringBuilder there = new StringBuilder(), got = new StringBuilder();
                for (int i = 0; i < 3; i++) {
                    int length = n * (i + 1) / 3 % 4000;
                    insert.setInt(1, i);
                    insert.setString(2, times("y", length));
                    insert.addBatch();
                    there.append(i + " " + length + ", ");
                }
                insert.executeBatch();
                for (List<Object> row : rows("select n, v from lengths order by n"))
                    got.append(row.get(0) + " " + (row.get(1) == null ? 0 : row.get(1).toString().length()) + ", ");
                if (!got.toString().equals(there.toString()))
                    wrong.add(n + ": " + got);
                connection.rollback();
            }
        }
        check("arrays of binds of any length", wrong, List.of());
        wrong.clear();
        for (int n : lengths())
            try (PreparedStatement s = connection.prepareStatement("insert into lengths values (?, ?) returning n + 1, v || '!' into ?, ?" + times(" ", n))) {
                oracle.jdbc.OraclePreparedStatement own = s.unwrap(oracle.jdbc.OraclePreparedStatement.class);
                String text = times("y", n % 3999);
                s.setInt(1, n);
                s.setString(2, text);
                own.registerReturnParameter(3, Types.INTEGER);
                own.registerReturnParameter(4, Types.VARCHAR);
                s.executeUpdate();
                try (ResultSet result = own.getReturnResultSet()) {
                    if (!result.next() || result.getInt(1) != n + 1 || !result.getString(2).equals(text + "!"))
                        wrong.add("" + n);
                }
            }
        connection.rollback();
        connection.setAutoCommit(true);
        check("RETURNING of any length", wrong, List.of());
        execute("drop table lengths");
    }

    static int[] filled(int count, int value) {
        int[] all = new int[count];
        Arrays.fill(all, value);
        return all;
    }

    static int[] batch(PreparedStatement insert, int[] keys, String[] values) throws SQLException {
        for (int i = 0; i < keys.length; i++) {
            insert.setInt(1, keys[i]);
            insert.setString(2, values[i]);
            insert.addBatch();
        }
        return insert.executeBatch();
    }

    static void checkBatches() throws SQLException {
        execute("create table batches (n number primary key, v varchar2(10))");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into batches values (?, ?)");
             PreparedStatement update = connection.prepareStatement("update batches set v = 'y' where n < ?")) {
            for (int count : new int[] {1, 500, 3000, 20000}) {
                int[] keys = new int[count];
                String[] values = new String[count];
                for (int i = 0; i < count; i++) {
                    keys[i] = i;
                    values[i] = times("x", i % 11);
                }
                check("counts of " + count, batch(insert, keys, values), filled(count, 1));
                check("rows there of " + count, rows("select count(*), sum(n) from batches"),
                    List.of(List.of("" + count, "" + (long) count * (count - 1) / 2)));
                connection.rollback();
            }
            batch(insert, new int[] {0, 1, 2, 3, 4, 5}, new String[] {"x", "x", "x", "x", "x", "x"});
            for (int n : new int[] {3, 0, 6}) {
                update.setInt(1, n);
                update.addBatch();
            }
            check("counts of an update", update.executeBatch(), new int[] {3, 0, 6});
            Object counts = null;
            try {
                batch(insert, new int[] {7, 1, 8}, new String[] {"x", "x", "x"});
            } catch (BatchUpdateException e) {
                counts = e.getErrorCode() + " " + e.getUpdateCounts().length;
            }
            check("an error ends it", counts, "1 1");
            check("rows before the error", rows("select count(*) from batches"), List.of(List.of("7")));
        }
        connection.rollback();
        connection.setAutoCommit(true);
        execute("drop table batches");
    }

    interface Setter {
        void set(PreparedStatement statement) throws SQLException;
    }

    interface Getter {
        Object get(ResultSet result) throws SQLException;
    }

    static void back(String name, Setter setter, Getter getter, Object want) {
        Object got;
        try (PreparedStatement statement = connection.prepareStatement("select ? from dual")) {
            setter.set(statement);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                got = getter.get(result);
            }
        } catch (SQLException | RuntimeException e) {
            got = String.valueOf(e.getMessage()).split("\n")[0];
        }
        check(name, got, want);
    }

    static void checkTypes() throws SQLException {
        Timestamp moment = Timestamp.valueOf("2024-07-01 12:34:56.123456789");
        LocalDateTime local = moment.toLocalDateTime();
        back("int", s -> s.setInt(1, 42), r -> r.getInt(1), 42);
        back("long", s -> s.setLong(1, -17L), r -> r.getLong(1), -17L);
        back("double", s -> s.setDouble(1, 1.5), r -> r.getDouble(1), 1.5);
        back("decimal", s -> s.setBigDecimal(1, new BigDecimal("123456789.123456789")),
            r -> r.getBigDecimal(1), new BigDecimal("123456789.123456789"));
        back("text", s -> s.setString(1, "text"), r -> r.getString(1), "text");
        back("text that is not ASCII", s -> s.setString(1, "\u00e9\u20ac\ud83d\ude00"), r -> r.getString(1), "\u00e9\u20ac\ud83d\ude00");
        back("national text", s -> s.setNString(1, "\u00e9\u20ac\ud83d\ude00"), r -> r.getString(1), "\u00e9\u20ac\ud83d\ude00");
        back("long text", s -> s.setString(1, times("x", 4000)), r -> r.getString(1), times("x", 4000));
        back("raw", s -> s.setBytes(1, new byte[] {0, 1, -1}), r -> r.getBytes(1), new byte[] {0, 1, -1});
        back("date", s -> s.setDate(1, java.sql.Date.valueOf("2024-07-01")), r -> r.getDate(1), java.sql.Date.valueOf("2024-07-01"));
        back("timestamp", s -> s.setTimestamp(1, moment), r -> r.getTimestamp(1), moment);
        Timestamp whole = Timestamp.valueOf("2024-07-01 12:34:56");
        back("whole timestamp", s -> s.setTimestamp(1, whole), r -> r.getTimestamp(1), whole);
        back("timestamp of a millisecond", s -> s.setTimestamp(1, new Timestamp(whole.getTime() + 1)),
            r -> r.getTimestamp(1), new Timestamp(whole.getTime() + 1));
        back("local date and time", s -> s.setObject(1, local), r -> r.getTimestamp(1).toLocalDateTime(), local);
        back("local date", s -> s.setObject(1, local.toLocalDate()), r -> r.getTimestamp(1).toLocalDateTime().toLocalDate(), local.toLocalDate());
        OffsetDateTime offset = local.atOffset(ZoneOffset.ofHours(2));
        back("timestamp with zone", s -> s.setObject(1, offset),
            r -> r.getObject(1, OffsetDateTime.class).toInstant(), offset.toInstant());
        back("interval", s -> ((oracle.jdbc.OraclePreparedStatement) s).setINTERVALDS(1, new oracle.sql.INTERVALDS("3 2:00:00.5")),
            r -> r.getString(1), "3 2:0:0.5");
        back("months", s -> ((oracle.jdbc.OraclePreparedStatement) s).setINTERVALYM(1, new oracle.sql.INTERVALYM("-1-2")),
            r -> r.getString(1), "-1-2");
        back("null", s -> s.setNull(1, Types.VARCHAR), r -> r.getString(1), null);
        back("null number", s -> s.setNull(1, Types.NUMERIC), r -> r.getString(1), null);
        back("boolean", s -> s.setBoolean(1, true), r -> r.getInt(1), 1);
        back("38 digits", s -> s.setBigDecimal(1, new BigDecimal("-12345678901234567890123456789012345678")),
            r -> r.getBigDecimal(1), new BigDecimal("-12345678901234567890123456789012345678"));
        back("float", s -> s.setFloat(1, 0.1f), r -> r.getFloat(1), 0.1f);
        back("binary double", s -> ((oracle.jdbc.OraclePreparedStatement) s).setBinaryDouble(1, 0.1), r -> r.getDouble(1), 0.1);
        checkBinaryNumbers();
        back("no text", s -> s.setString(1, ""), r -> r.getString(1), null);
        back("text as a stream", s -> s.setCharacterStream(1, new java.io.StringReader(times("\u20ac", 900)), 900), r -> r.getString(1), times("\u20ac", 900));
        back("bytes as a stream", s -> s.setBinaryStream(1, new java.io.ByteArrayInputStream(new byte[1500]), 1500), r -> r.getBytes(1).length, 1500);
        back("a fixed CHAR", s -> ((oracle.jdbc.OraclePreparedStatement) s).setFixedCHAR(1, "ab"), r -> r.getString(1), "ab");
        back("the last moment", s -> s.setTimestamp(1, Timestamp.valueOf("9999-12-31 23:59:59.999999999")), r -> r.getTimestamp(1), Timestamp.valueOf("9999-12-31 23:59:59.999999999"));
        execute("create table types (t timestamp, c varchar2(4000))");
        try (PreparedStatement insert = connection.prepareStatement("insert into types (t, c) values (?, ?)")) {
            for (int i = 0; i < 3; i++) {
                insert.setTimestamp(1, i == 1 ? whole : moment);
                insert.setString(2, "row");
                insert.addBatch();
            }
            check("timestamps in a batch", insert.executeBatch(), new int[] {1, 1, 1});
        } catch (SQLException e) {
            check("timestamps in a batch", e.getMessage(), "");
        }
        check("timestamps read back", rows("select count(distinct t), count(*) from types"), List.of(List.of("2", "3")));
        execute("drop table types");
        check("the session lives", rows("select 1 from dual"), List.of(List.of("1")));
    }

    // Every bit comes back, but that of -0, which Oracle does not have.
    static void checkBinaryNumbers() throws SQLException {
        execute("create table bits (d binary_double, f binary_float)");
        double[] doubles = {0.1 + 0.2, -1 / 3.0, Double.MAX_VALUE, Double.MIN_VALUE, -Double.MIN_VALUE,
            Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, -0.0};
        for (double value : doubles) {
            List<Double> got = new ArrayList<>();
            try (PreparedStatement s = connection.prepareStatement("insert into bits (d) values (?) returning d into ?")) {
                oracle.jdbc.OraclePreparedStatement own = s.unwrap(oracle.jdbc.OraclePreparedStatement.class);
                own.setBinaryDouble(1, value);
                own.registerReturnParameter(2, oracle.jdbc.OracleTypes.BINARY_DOUBLE);
                s.executeUpdate();
                try (ResultSet result = own.getReturnResultSet()) {
                    result.next();
                    got.add(result.getDouble(1));
                }
            }
            for (String sql : new String[] {"select ? from dual", "select d from bits where d = ?"})
                try (PreparedStatement s = connection.prepareStatement(sql)) {
                    s.unwrap(oracle.jdbc.OraclePreparedStatement.class).setBinaryDouble(1, value);
                    try (ResultSet result = s.executeQuery()) {
                        got.add(result.next() ? result.getDouble(1) : null);
                    }
                }
            double want = value == 0 ? 0.0 : value;
            check("bits of " + value, got, List.of(want, want, want));
        }
        for (float value : new float[] {0.1f, Float.MAX_VALUE, Float.MIN_VALUE, Float.NEGATIVE_INFINITY, Float.NaN})
            try (PreparedStatement s = connection.prepareStatement("insert into bits (f) values (?)");
                 PreparedStatement q = connection.prepareStatement("select f from bits where f = ?")) {
                s.unwrap(oracle.jdbc.OraclePreparedStatement.class).setBinaryFloat(1, value);
                s.executeUpdate();
                q.unwrap(oracle.jdbc.OraclePreparedStatement.class).setBinaryFloat(1, value);
                try (ResultSet result = q.executeQuery()) {
                    check("bits of the single " + value, result.next() ? (Float) result.getFloat(1) : null, value);
                }
            }
        try (PreparedStatement s = connection.prepareStatement("select 0.1d + 0.2d from dual"); ResultSet result = s.executeQuery()) {
            result.next();
            check("a sum", result.getDouble(1), 0.1 + 0.2);
        }
        execute("drop table bits");
    }

    static void checkRowids() throws SQLException {
        execute("create table rowids (n number)");
        execute("insert into rowids select level from dual connect by level <= 1000");
        List<RowId> all = new ArrayList<>();
        try (PreparedStatement s = connection.prepareStatement("select rowid, n from rowids order by n"); ResultSet result = s.executeQuery()) {
            check("its type", result.getMetaData().getColumnType(1), Types.ROWID);
            while (result.next())
                all.add(result.getRowId(1));
        }
        check("different ones", new HashSet<>(all).size(), 1000);
        for (int n = 1; n <= 1000; n += 83)
            for (boolean text : new boolean[] {true, false})
                try (PreparedStatement s = connection.prepareStatement("select n from rowids where rowid = ?")) {
                    if (text)
                        s.setString(1, all.get(n - 1).toString());
                    else
                        s.setRowId(1, all.get(n - 1));
                    check("bound as " + (text ? "text" : "a ROWID") + ", row " + n, rows(s), List.of(List.of("" + n)));
                }
        try (PreparedStatement s = connection.prepareStatement("insert into rowids values (7777)", Statement.RETURN_GENERATED_KEYS)) {
            s.executeUpdate();
            try (ResultSet keys = s.getGeneratedKeys()) {
                keys.next();
                String key = keys.getString(1);
                check("a generated key", rows("select n from rowids where rowid = '" + key + "'"), List.of(List.of("7777")));
            }
        }
        execute("drop table rowids");
    }

    static void checkLobs() throws Exception {
        execute("create table lobs (n number, c clob, b blob)");
        String[] texts = {"\u00e9", times("\u20ac", 3000), times("\ud83d\ude00", 5000), times("x", 40000), times("y", 200000)};
        try (PreparedStatement insert = connection.prepareStatement("insert into lobs values (?, ?, ?)")) {
            for (int i = 0; i < texts.length; i++) {
                insert.setInt(1, i);
                if (i % 2 == 0) {
                    Clob clob = connection.createClob();
                    clob.setString(1, texts[i]);
                    Blob blob = connection.createBlob();
                    blob.setBytes(1, texts[i].getBytes("UTF-8"));
                    insert.setClob(2, clob);
                    insert.setBlob(3, blob);
                } else {
                    insert.setString(2, texts[i]);
                    insert.setBytes(3, texts[i].getBytes("UTF-8"));
                }
                insert.executeUpdate();
            }
        }
        execute("insert into lobs values (5, null, null)");
        try (PreparedStatement s = connection.prepareStatement("select n, c, b from lobs order by n"); ResultSet result = s.executeQuery()) {
            check("columns", List.of(result.getMetaData().getColumnTypeName(2), result.getMetaData().getColumnTypeName(3)), List.of("CLOB", "BLOB"));
            for (int i = 0; result.next() && i < texts.length; i++) {
                check("text " + i, result.getString(2).equals(texts[i]), true);
                check("bytes " + i, Arrays.equals(result.getBytes(3), texts[i].getBytes("UTF-8")), true);
                Clob clob = result.getClob(2);
                check("locator " + i, clob.length() == texts[i].length() && clob.getSubString(1, texts[i].length()).equals(texts[i]), true);
            }
            check("null", Arrays.asList(result.getString(2), result.getBytes(3)), Arrays.asList(null, null));
        }
        execute("drop table lobs");
    }

    static void checkCursors() throws Exception {
        List<List<Object>> want = new ArrayList<>();
        for (int i = 1; i <= 250; i++)
            want.add(List.of("" + i, "v"));
        try (CallableStatement block = connection.prepareCall("begin open ? for select level n, ? v from dual connect by level <= 250; end;")) {
            for (int times = 0; times < 3; times++) {
                block.registerOutParameter(1, -10); // OracleTypes.CURSOR
                block.setString(2, "v");
                block.execute();
                List<List<Object>> got = new ArrayList<>();
                try (ResultSet result = (ResultSet) block.getObject(1)) {
                    while (result.next())
                        got.add(List.of(result.getString(1), result.getString(2)));
                }
                check("cursor " + times, got, want);
            }
        }
        try (PreparedStatement block = connection.prepareStatement(
                 "declare a sys_refcursor; b sys_refcursor; begin open a for select 'first' x from dual; dbms_sql.return_result(a);"
                 + " open b for select level from dual connect by level <= 3; dbms_sql.return_result(b); end;")) {
            block.execute();
            List<String> got = new ArrayList<>();
            while (block.getMoreResults())
                try (ResultSet result = block.getResultSet()) {
                    while (result.next())
                        got.add(result.getString(1));
                }
            check("implicit results", got, List.of("first", "1", "2", "3"));
        }
        check("the session lives", rows("select 1 from dual"), List.of(List.of("1")));
    }

    static void checkReturning() throws Exception {
        execute("create table returning (n number primary key, v varchar2(10))");
        String insert = "insert into returning values (?, ?) returning n, v || '!' into ?, ?";
        try (PreparedStatement s = connection.prepareStatement(insert)) {
            oracle.jdbc.OraclePreparedStatement own = s.unwrap(oracle.jdbc.OraclePreparedStatement.class);
            for (int i = 0; i < 3; i++) {
                s.setInt(1, i);
                s.setString(2, "v" + i);
                own.registerReturnParameter(3, Types.INTEGER);
                own.registerReturnParameter(4, Types.VARCHAR);
                s.executeUpdate();
                try (ResultSet result = own.getReturnResultSet()) {
                    result.next();
                    check("insert " + i, List.of(result.getInt(1), result.getString(2), result.next()), List.of(i, "v" + i + "!", false));
                }
            }
        }
        // By the names of columns the driver asks for a description of the table: some versions
        // when they prepare, others when they execute.
        String answer;
        try (PreparedStatement s = connection.prepareStatement("insert into returning values (7, 'key')", new String[] {"N"})) {
            s.executeUpdate();
            try (ResultSet keys = s.getGeneratedKeys()) {
                keys.next();
                answer = "key " + keys.getInt(1);
            }
        } catch (SQLException e) {
            answer = e.getMessage().contains("TTC function 119") ? "refused" : e.getMessage();
            execute("insert into returning values (7, 'key')");
        }
        check("generated keys", answer.matches("key 7|refused") ? "" : answer, "");
        try (PreparedStatement s = connection.prepareStatement("update returning set v = v || 'x' where n >= ? returning n, v into ?, ?")) {
            oracle.jdbc.OraclePreparedStatement own = s.unwrap(oracle.jdbc.OraclePreparedStatement.class);
            s.setInt(1, 1);
            own.registerReturnParameter(2, Types.INTEGER);
            own.registerReturnParameter(3, Types.VARCHAR);
            check("rows changed", s.executeUpdate(), 3);
            List<String> got = new ArrayList<>();
            try (ResultSet result = own.getReturnResultSet()) {
                while (result.next())
                    got.add(result.getInt(1) + result.getString(2));
            }
            check("update", got, List.of("1v1x", "2v2x", "7keyx"));
        }
        execute("drop table returning");
    }

    static List<String> read(ResultSet result, String... columns) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            for (String column : columns)
                row.add(result.getString(column));
            rows.add(String.join(" ", row));
        }
        result.close();
        return rows;
    }

    static void checkCache() throws Exception {
        Properties cached = with("oracle.jdbc.implicitStatementCacheSize", "5");
        Connection first = connection;
        connection = connect(cached);
        Object[] values = {1, "text", null, 2.5, times("x", 4000), Timestamp.valueOf("2024-07-01 12:34:56"), "again", null, 7};
        for (int i = 0; i < values.length; i++)
            try (PreparedStatement s = connection.prepareStatement("select ? v from dual")) {
                s.setObject(1, values[i]);
                Object want = values[i] instanceof Timestamp ? "2024-07-01 12:34:56" : values[i] == null ? null : values[i].toString();
                Object got = rows(s).get(0).get(0);
                check("value " + i + " of another type", got != null && values[i] instanceof Timestamp ? got.toString().substring(0, 19) : got, want);
            }
        for (int round = 0; round < 2; round++) {
            List<String> wrong = new ArrayList<>();
            for (int n = 0; n < 60; n++)
                try (PreparedStatement s = connection.prepareStatement("select " + n + " n, ? v from dual")) {
                    s.setInt(1, n);
                    if (!rows(s).equals(List.of(List.of("" + n, "" + n))))
                        wrong.add("" + n);
                }
            check("sixty statements, round " + round, wrong, List.of());
        }
        execute("create table cached (n number)");
        String[][] tables = {{"n number", "7"}, {"v varchar2(9), n number", "seven", "8"}, {"v varchar2(9)", "x"}};
        for (String[] table : tables) {
            execute("drop table cached");
            execute("create table cached (" + table[0] + ")");
            List<Object> row = new ArrayList<>(Arrays.asList(table).subList(1, table.length));
            execute("insert into cached values ('" + String.join("', '", Arrays.asList(table).subList(1, table.length)) + "')");
            for (String times : new String[] {"once", "again"}) {
                // Of a query whose table is another one now it keeps the columns: ORA-01007.
                List<List<Object>> got = rows("select * from cached /* " + table[0] + " */");
                check(table[0] + ", " + times, got, List.of(row));
            }
        }
        execute("drop table cached");
        connection.close();
        connection = first;
    }

    static final String BURN = "select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*)"
        + " from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d where a.owner# = b.owner#"
        + " and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= 2000000";

    static void checkCancels() throws Exception {
        for (String disabled : new String[] {"true", "false"}) {
            String mode = disabled.equals("true") ? "in-band" : "out-of-band";
            Connection first = connection;
            connection = connect(with("oracle.net.disableOob", disabled));
            List<String> wrong = new ArrayList<>();
            for (int n = 0; n < 20; n++)
                try (Statement s = connection.createStatement()) {
                    // A cancel that meets its execute() before it is sent fails inside the driver.
                    int after = 100 + 3 * n;
                    Thread other = new Thread(() -> {
                        try {
                            Thread.sleep(after);
                            s.cancel();
                        } catch (Exception e) {
                            System.err.println(e);
                        }
                    });
                    other.start();
                    String ended = failure(() -> s.executeQuery(BURN));
                    other.join();
                    List<List<Object>> got = rows("select " + n + " from dual");
                    if (!ended.equals("ORA-01013") || !got.equals(List.of(List.of("" + n))))
                        wrong.add(n + " " + ended + " " + got);
                }
            check("cancels " + mode, wrong, List.of());
            try (Statement s = connection.createStatement()) {
                s.setQueryTimeout(1);
                check("call time-out " + mode, failure(() -> s.executeQuery(BURN)), "ORA-01013");
            }
            check("usable " + mode, rows("select 7 from dual"), List.of(List.of("7")));
            connection.close();
            connection = first;
        }
    }

    static void checkWays() throws Exception {
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int k = 0; k < 6; k++) {
            int own = k;
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 5; n++)
                    try (Connection c = connect(new Properties()); PreparedStatement s = c.prepareStatement("select ?, ? from dual")) {
                        s.setInt(1, own);
                        s.setString(2, "v" + n);
                        List<List<Object>> got = rows(s);
                        if (!got.equals(List.of(List.of("" + own, "v" + n))))
                            wrong.add(own + " " + n + " " + got);
                    } catch (Exception e) {
                        wrong.add(own + " " + n + " " + e);
                    }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads)
            thread.join();
        check("connections at once", wrong, List.of());
        execute("create table ways (n number primary key, v varchar2(10))");
        connection.setAutoCommit(false);
        execute("insert into ways values (1, 'a')");
        Savepoint point = null;
        String failed = "";
        try {
            point = connection.setSavepoint();
            execute("insert into ways values (2, 'b')");
            connection.rollback(point);
        } catch (SQLException e) {
            failed = e.getMessage();
        }
        if (failed.isEmpty())
            check("a savepoint", rows("select n from ways"), List.of(List.of("1")));
        else
            check("a savepoint", failed, "");
        connection.rollback();
        connection.setAutoCommit(true);
        check("rolled back", rows("select n from ways"), List.of());
        try (Statement s = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            s.setFetchSize(3);
            s.setMaxRows(7);
            ResultSet result = s.executeQuery("select level from dual connect by level <= 1009");
            int count = 0;
            while (result.next())
                count += result.getInt(1) == count + 1 ? 1 : 1000;
            check("at most seven rows", count, 7);
        }
        try (ResultSet one = connection.createStatement().executeQuery("select level from dual connect by level <= 50")) {
            int sum = 0;
            while (one.next())
                try (ResultSet two = connection.createStatement().executeQuery("select " + one.getInt(1) + " + level from dual connect by level <= 20")) {
                    while (two.next())
                        sum += two.getInt(1);
                }
            check("a query in a query", sum, 20 * 50 * 51 / 2 + 50 * 20 * 21 / 2);
        }
        execute("drop table ways");
    }

    static void checkMetadata() throws Exception {
        execute("create table metadata (id number(9) constraint metadata_key primary key, name varchar2(20) not null, amount number(7,2), at date, c clob)");
        execute("create index metadata_name on metadata (name, amount)");
        DatabaseMetaData about = connection.getMetaData();
        check("tables", read(about.getTables(null, "SCOTT", "META%", new String[] {"TABLE"}), "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE"),
            List.of("SCOTT METADATA TABLE"));
        check("columns", read(about.getColumns(null, "SCOTT", "METADATA", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "IS_NULLABLE", "ORDINAL_POSITION"),
            List.of("ID NUMBER 9 NO 1", "NAME VARCHAR2 20 NO 2", "AMOUNT NUMBER 7 YES 3", "AT DATE 7 YES 4", "C CLOB 4000 YES 5"));
        check("keys", read(about.getPrimaryKeys(null, "SCOTT", "METADATA"), "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ", "PK_NAME"), List.of("METADATA ID 1 METADATA_KEY"));
        check("schemas", read(about.getSchemas(), "TABLE_SCHEM").contains("SCOTT"), true);
        check("foreign keys", read(about.getImportedKeys(null, "SCOTT", "METADATA"), "FK_NAME"), List.of());
        execute("create unique index metadata_at on metadata (at)");
        String[] ofIndex = {"NON_UNIQUE", "INDEX_NAME", "TYPE", "ORDINAL_POSITION", "COLUMN_NAME"};
        // Before 23, the driver has the table analyzed where estimates will not do.
        boolean analyzes = about.getDriverMajorVersion() < 23;
        if (analyzes) {
            leftOut("exact statistics with indexes: it asks for ANALYZE TABLE, which the lab refuses");
            check("analyze", failure(() -> about.getIndexInfo(null, "SCOTT", "METADATA", false, false)), "ORA-03001");
        }
        check("indexes", read(about.getIndexInfo(null, "SCOTT", "METADATA", false, analyzes), ofIndex),
            List.of("0 null 0 0 null", "0 METADATA_AT 1 1 AT", "0 METADATA_KEY 1 1 ID", "1 METADATA_NAME 1 1 NAME", "1 METADATA_NAME 1 2 AMOUNT"));
        check("unique indexes", read(about.getIndexInfo(null, "SCOTT", "METADATA", true, true), ofIndex),
            List.of("0 null 0 0 null", "0 METADATA_AT 1 1 AT", "0 METADATA_KEY 1 1 ID"));
        check("valid", connection.isValid(5), true);
        execute("drop table metadata");
    }

    static void checkDescribed() throws SQLException {
        execute("create table described (a number(5,2), b varchar2(3), c number, d date, e timestamp)");
        execute("insert into described values (null, null, null, null, null)");
        execute("insert into described values (1.25, 'abc', 7, null, null)");
        try (PreparedStatement s = connection.prepareStatement("select * from described order by a nulls first");
             ResultSet result = s.executeQuery()) {
            ResultSetMetaData about = result.getMetaData();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= 5; i++)
                columns.add(about.getColumnName(i) + " " + about.getColumnTypeName(i)
                    // Versions differ in the precision of a DATE.
                    + (i == 4 ? "" : " " + about.getPrecision(i) + " " + about.getScale(i)));
            check("columns", columns, List.of("A NUMBER 5 2", "B VARCHAR2 3 0", "C NUMBER 0 -127", "D DATE", "E TIMESTAMP 0 6"));
        }
        check("an expression", rows("select nullif(level, 1) n from dual connect by level <= 3"),
            List.of(Collections.singletonList(null), List.of("2"), List.of("3")));
        execute("drop table described");
    }

    static void checkFetches() throws SQLException {
        for (int size : new int[] {1, 2, 7, 100, 1000})
            try (PreparedStatement s = connection.prepareStatement("select level, 'row' || level from dual connect by level <= 1009")) {
                s.setFetchSize(size);
                List<List<Object>> want = new ArrayList<>();
                for (int i = 1; i <= 1009; i++)
                    want.add(List.of("" + i, "row" + i));
                check(size + " rows a fetch", rows(s), want);
            }
    }

    static void checkBlocks() throws SQLException {
        try (CallableStatement block = connection.prepareCall("begin select 'v' || ? into ? from dual; end;")) {
            for (int i = 0; i < 5; i++) {
                block.setInt(1, i);
                block.registerOutParameter(2, Types.VARCHAR);
                block.execute();
                check("out bind " + i, block.getString(2), "v" + i);
            }
        }
    }

    static void checkScrolling() throws SQLException {
        try (PreparedStatement s = connection.prepareStatement("select level from dual connect by level <= 23",
                 ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
            s.setFetchSize(4);
            try (ResultSet result = s.executeQuery()) {
                List<Integer> got = new ArrayList<>();
                result.next();
                got.add(result.getInt(1));
                result.last();
                got.add(result.getInt(1));
                result.first();
                got.add(result.getInt(1));
                result.absolute(15);
                got.add(result.getInt(1));
                result.relative(-9);
                got.add(result.getInt(1));
                result.previous();
                got.add(result.getInt(1));
                check("scrolled", got, List.of(1, 23, 1, 15, 6, 5));
            }
        }
    }

    static void checkSession() throws Exception {
        for (String[] pair : new String[][] {{"OCSID.MODULE", "a module"}, {"OCSID.ACTION", "an action"}, {"OCSID.CLIENTID", "a client"}})
            connection.setClientInfo(pair[0], pair[1]);
        check("attributes", rows("select module, action, client_identifier from v$session where sid = sys_context('userenv', 'sid')"),
            List.of(List.of("a module", "an action", "a client")));
        check("valid", connection.isValid(5), true);
        check("wrong password", failure(() -> connect(with("password", "x"))), "ORA-01017");
        check("SYSDBA", failure(() -> connect(with("internal_logon", "sysdba"))), "ORA-01031");
        check("proxy user", failure(() -> connect(with("user", "scott[hr]"))), "ORA-28150");
        check("unknown parameter", failure(() -> execute("alter session set nosuchparam=1")), "ORA-02248");
        check("current schema", failure(() -> connection.setSchema("SCOTT")), "done");
        check("an object type is refused", failure(() -> connection.createStruct("NO_TYPE", new Object[] {1})).equals("done"), false);
        check("the session lives after a type", rows("select 1 from dual"), List.of(List.of("1")));
        check("trace", failure(() -> execute("alter session set sql_trace=true")), "done");
        check("the session lives", rows("select 1 from dual"), List.of(List.of("1")));
    }

    public static void main(String[] all) throws Exception {
        arguments = all;
        connection = connect(new Properties());
        for (String section : Arrays.copyOfRange(all, 5, all.length)) {
            System.out.println("{\"section\": \"" + section + "\"}");
            Exercise.class.getDeclaredMethod("check" + section.substring(0, 1).toUpperCase() + section.substring(1)).invoke(null);
        }
        connection.close();
    }
}
