// SPDX-License-Identifier: GPL-2.0-or-later
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.annotations.SerializedName;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import oracle.jdbc.pool.OracleDataSource;

/** ojdbc11 (thin) as a scenario client; ../README.md says what it is asked. */
public class Client {
    private static class Request {
        @SerializedName("do") String verb;
        String dsn, user, password, wallet, sql;
        boolean disable_oob, keep;
        int fetch_size, sdu, times;
        List<Object> binds = List.of();
    }

    private static final Gson json = new GsonBuilder().serializeNulls().create();
    private static Connection connection;
    private static int fetchSize;
    private static volatile PreparedStatement running;
    private static volatile long breakSent;

    private static synchronized void say(Map<String, ?> answer) {
        System.out.println(json.toJson(answer));
        System.out.flush();
    }

    private static String brief(Exception e) {
        return String.valueOf(e.getMessage()).split("\n")[0];
    }

    private static SSLContext trusting(String wallet) throws SQLException {
        try (InputStream file = new FileInputStream(wallet + "/ca.pem")) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new SQLException(e.getMessage(), e);
        }
    }

    private static void connect(Request ask) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", ask.user);
        properties.put("password", ask.password);
        if (ask.disable_oob)
            properties.put("oracle.net.disableOob", "true");
        fetchSize = ask.fetch_size;
        String url = "jdbc:oracle:thin:@" + (ask.wallet.isEmpty() ? "//" : "tcps://") + ask.dsn;
        if (ask.sdu > 0)
            url += "?sdu=" + ask.sdu;
        if (ask.wallet.isEmpty()) {
            connection = DriverManager.getConnection(url, properties);
        } else {
            properties.put("oracle.net.ssl_server_dn_match", "false");
            OracleDataSource source = new OracleDataSource();
            source.setURL(url);
            source.setConnectionProperties(properties);
            connection = source.createConnectionBuilder().sslContext(trusting(ask.wallet)).build();
        }
        connection.setAutoCommit(false);
    }

    private static List<List<Object>> fetched(ResultSet found) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        ResultSetMetaData columns = found.getMetaData();
        while (found.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                Object value = found.getObject(i);
                row.add(value == null || value instanceof Number ? value : value.toString());
            }
            all.add(row);
        }
        return all;
    }

    /** A bind that is an object is a point in time with its zone. */
    private static Object value(Object bind) {
        return bind instanceof Map<?, ?> object
            ? OffsetDateTime.parse((String) object.get("timestamp")) : bind;
    }

    private static Map<String, ?> executed(Request ask) throws SQLException {
        List<Double> elapsed = new ArrayList<>();
        List<List<Object>> rows = List.of();
        int changed = 0;
        try (PreparedStatement statement = connection.prepareStatement(ask.sql)) {
            if (fetchSize > 0)
                statement.setFetchSize(fetchSize);
            for (int i = 0; i < ask.binds.size(); i++)
                statement.setObject(i + 1, value(ask.binds.get(i)));
            running = statement;
            for (int i = 0; i < ask.times; i++) {
                long began = System.nanoTime();
                if (statement.execute())
                    try (ResultSet found = statement.getResultSet()) {
                        rows = fetched(found);
                    }
                else
                    changed = statement.getUpdateCount();
                elapsed.add((System.nanoTime() - began) / 1e9);
            }
        } finally {
            running = null;
        }
        return Map.of("elapsed_s", elapsed, "rows", ask.keep ? rows : List.of(), "row_count",
                      rows.size(), "changed", changed);
    }

    private static void query(Request ask) {
        try {
            say(executed(ask));
        } catch (SQLException | RuntimeException e) {
            long returned = System.nanoTime();
            if (breakSent == 0)
                say(Map.of("error", brief(e)));
            else
                say(Map.of("error", brief(e), "break_ms", (returned - breakSent) / 1e6));
        }
    }

    private static void sendBreak() throws SQLException {
        PreparedStatement statement = running;
        if (statement != null) {
            breakSent = System.nanoTime();
            statement.cancel();
        }
    }

    private static void carryOut(Request ask) throws SQLException {
        switch (ask.verb) {
            case "connect" -> connect(ask);
            case "commit" -> connection.commit();
            case "rollback" -> connection.rollback();
            case "close" -> connection.close();
            default -> throw new IllegalArgumentException(ask.verb);
        }
        say(Map.of());
    }

    private static void ping(int times) throws SQLException {
        List<Double> elapsed = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            long began = System.nanoTime();
            if (!connection.isValid(5))
                throw new SQLException("the connection is not valid");
            elapsed.add((System.nanoTime() - began) / 1e9);
        }
        say(Map.of("elapsed_s", elapsed));
    }

    public static void main(String[] arguments) throws Exception {
        say(Map.of("driver", "ojdbc11", "version",
                   oracle.jdbc.OracleDriver.getDriverVersion(), "out_of_band", true, "sdu", true));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;) {
            Request ask = json.fromJson(line, Request.class);
            try {
                if (ask.verb.equals("break"))
                    sendBreak();
                else if (ask.verb.equals("ping"))
                    ping(ask.times);
                else if (ask.verb.equals("query")) {
                    breakSent = 0;
                    new Thread(() -> query(ask)).start();
                } else
                    carryOut(ask);
            } catch (SQLException | RuntimeException e) {
                say(Map.of("error", brief(e)));
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
