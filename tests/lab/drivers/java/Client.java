// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Carries out what is asked of it line by line: see test_drivers.py. A line is the word, then a
 * tab and the statement, then a tab before each bind; n and a number, or s and a text.
 */
public class Client {
    private static Connection connection;
    private static volatile PreparedStatement running;

    private static synchronized void say(String json) {
        System.out.println(json);
        System.out.flush();
    }

    private static String quoted(String text) {
        return '"' + text.split("\n")[0].replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String value(ResultSet from, int column) throws SQLException {
        Object value = from.getObject(column);
        return value == null || value instanceof Number ? String.valueOf(value)
                                                        : quoted(value.toString());
    }

    private static String rows(ResultSet found) throws SQLException {
        StringBuilder all = new StringBuilder("[");
        int columns = found.getMetaData().getColumnCount();
        for (String between = ""; found.next(); between = ",") {
            all.append(between).append('[');
            for (int i = 1; i <= columns; i++)
                all.append(i > 1 ? "," : "").append(value(found, i));
            all.append(']');
        }
        return all.append(']').toString();
    }

    private static void query(String[] ask) {
        try (PreparedStatement statement = connection.prepareStatement(ask[1])) {
            for (int i = 2; i < ask.length; i++) {
                if (ask[i].charAt(0) == 'n')
                    statement.setDouble(i - 1, Double.parseDouble(ask[i].substring(1)));
                else
                    statement.setString(i - 1, ask[i].substring(1));
            }
            running = statement;
            if (statement.execute())
                try (ResultSet found = statement.getResultSet()) {
                    say("{\"rows\":" + rows(found) + ",\"changed\":0}");
                }
            else
                say("{\"rows\":[],\"changed\":" + statement.getUpdateCount() + "}");
        } catch (SQLException | RuntimeException e) {
            say("{\"error\":" + quoted(String.valueOf(e.getMessage())) + "}");
        }
    }

    private static void carryOut(String[] ask) throws SQLException {
        switch (ask[0]) {
            case "query" -> new Thread(() -> query(ask)).start();
            case "cancel" -> running.cancel();
            case "commit" -> connection.commit();
            case "rollback" -> connection.rollback();
            case "ping" -> connection.isValid(5);
            case "close" -> connection.close();
            default -> throw new IllegalArgumentException(ask[0]);
        }
        if (!ask[0].equals("query") && !ask[0].equals("cancel"))
            say("{\"done\":" + quoted(ask[0]) + "}");
    }

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.put("user", "scott");
        properties.put("password", "tiger");
        if (arguments[1].equals("in-band"))
            properties.put("oracle.net.disableOob", "true");
        connection = DriverManager.getConnection(
            "jdbc:oracle:thin:@//127.0.0.1:" + arguments[0] + "/LAB", properties);
        connection.setAutoCommit(false);
        say("{\"ready\":" + quoted(connection.getMetaData().getDriverVersion()) + "}");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;)
            carryOut(line.split("\t"));
    }
}
