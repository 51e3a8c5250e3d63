// SPDX-License-Identifier: GPL-2.0-or-later
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import com.google.gson.annotations.SerializedName;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** ojdbc11 (thin) as a load client; ../README.md has the requests. */
public class Load {
    static class Sql {
        String sql;
        boolean query;
        List<List<Object>> rows;
    }

    static class Request {
        @SerializedName("do") String verb;
        int session, fetch_size, sdu, per_commit;
        String dsn, user, password, entries;
        boolean disable_oob, open_loop, rollback;
        long at_ns, start_ns, end_ns;
        Long max_lag_ns;
        List<String> first, identify;
        List<Sql> statements;
    }

    // nanoTime is CLOCK_MONOTONIC on Linux, as the generator reads it.
    private static final Gson json = new GsonBuilder()
        .serializeNulls()
        .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
        .create();
    static volatile List<Sql> statements = List.of();

    static void reply(Map<String, ?> message) {
        byte[] line = (json.toJson(message) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (System.out) {
            System.out.write(line, 0, line.length);
            System.out.flush();
        }
    }

    static String brief(Exception e) {
        String text = String.valueOf(e.getMessage()).split("\n")[0];
        return text.substring(0, Math.min(text.length(), 300));
    }

    public static void main(String[] arguments) throws Exception {
        reply(Map.of("driver", "ojdbc11", "version",
                     oracle.jdbc.OracleDriver.getDriverVersion()));
        Map<Integer, LoadSession> sessions = new HashMap<>();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null;) {
            Request ask = json.fromJson(line, Request.class);
            switch (ask.verb) {
                case "prepare" -> statements = ask.statements;
                case "connect" -> {
                    sessions.put(ask.session, new LoadSession(ask));
                    sessions.get(ask.session).start();
                }
                case "plan" ->
                    sessions.get(ask.session).add(Base64.getDecoder().decode(ask.entries));
                case "run" -> sessions.get(ask.session).begin(ask);
                case "stop" -> sessions.get(ask.session).end();
                default -> throw new IllegalArgumentException(ask.verb);
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
