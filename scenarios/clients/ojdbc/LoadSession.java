// SPDX-License-Identifier: GPL-2.0-or-later
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** One connection of a load; its requests come by queues. */
class LoadSession extends Thread {
    private static final byte[] NOTHING = {};

    private final int number;
    private final Load.Request asked;
    private final BlockingQueue<Load.Request> begin = new LinkedBlockingQueue<>();
    private final BlockingQueue<byte[]> entries = new LinkedBlockingQueue<>();
    private volatile boolean stopped;
    private Connection connection;
    private final List<PreparedStatement> prepared = new ArrayList<>();

    LoadSession(Load.Request asked) {
        this.number = asked.session;
        this.asked = asked;
        setDaemon(true);
    }

    void add(byte[] more) {
        entries.add(more);
    }

    void begin(Load.Request how) {
        begin.add(how);
    }

    void end() {
        stopped = true;
        entries.add(NOTHING);
        LockSupport.unpark(this);
    }

    @Override
    public void run() {
        Map<String, Object> ended = new HashMap<>();
        ended.put("session", number);
        try {
            connect();
        } catch (SQLException | RuntimeException e) {
            Load.reply(Map.of("session", number, "failed", Load.brief(e)));
            return;
        }
        String failure = null;
        try {
            failure = executeAll(begin.take());
            connection.close();
        } catch (SQLException | RuntimeException | InterruptedException e) {
            failure = Load.brief(e);
        }
        ended.put("ended", failure);
        Load.reply(ended);
    }

    private void connect() throws SQLException {
        Properties properties = new Properties();
        properties.put("user", asked.user);
        properties.put("password", asked.password);
        if (asked.disable_oob)
            properties.put("oracle.net.disableOob", "true");
        String url = "jdbc:oracle:thin:@//" + asked.dsn;
        if (asked.sdu > 0)
            url += "?sdu=" + asked.sdu;
        waitUntil(asked.at_ns);
        long began = System.nanoTime();
        connection = DriverManager.getConnection(url, properties);
        long ended = System.nanoTime();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            for (String text : asked.first)
                statement.execute(text);
        }
        List<String> identity = new ArrayList<>();
        for (String text : asked.identify)
            identity.add(oneValue(text));
        for (Load.Sql each : Load.statements) {
            PreparedStatement statement = connection.prepareStatement(each.sql);
            if (asked.fetch_size > 0)
                statement.setFetchSize(asked.fetch_size);
            prepared.add(statement);
        }
        Load.reply(Map.of("session", number, "began_ns", began, "connected_ns", ended,
                          "identity", identity));
    }

    private String oneValue(String text) {
        try (Statement statement = connection.createStatement();
             ResultSet found = statement.executeQuery(text)) {
            return found.next() ? found.getString(1) : null;
        } catch (SQLException e) {
            return null;
        }
    }

    /** Carries out the plan until the end; why the session ended before that, or null. */
    private String executeAll(Load.Request how) throws SQLException, InterruptedException {
        Records records = new Records(number);
        String failure = null;
        int changed = 0;
        long start = how.start_ns, previous = start;
        ByteBuffer plan = ByteBuffer.wrap(NOTHING);
        while (!stopped && failure == null) {
            if (!plan.hasRemaining()) {
                plan = next(records);
                if (!plan.hasRemaining())
                    break;
            }
            int statement = plan.getInt(), row = plan.getInt();
            long due = (how.open_loop ? start : previous) + (long) plan.getDouble();
            if (due >= how.end_ns)
                break;
            records.flushIfDue(Math.max(due, System.nanoTime()));
            if (!waitUntil(due))
                break;
            long began = System.nanoTime();
            if (began >= how.end_ns)
                break;
            if (how.max_lag_ns != null && began - due > how.max_lag_ns) {
                records.add(due - start, began - start, began - start, statement, Records.DROPPED);
                continue;
            }
            int outcome = Records.EXECUTED;
            try {
                execute(statement, row);
                if (!Load.statements.get(statement).query && ++changed >= how.per_commit) {
                    changed = 0;
                    finish(how.rollback);
                }
            } catch (SQLException e) {
                outcome = records.failed(Load.brief(e));
                if (!connection.isValid(5))
                    failure = Load.brief(e);
            }
            previous = System.nanoTime();
            records.add(due - start, began - start, previous - start, statement, outcome);
            records.flushIfDue(previous);
        }
        records.flush();
        if (changed > 0 && failure == null)
            finish(how.rollback);
        return failure;
    }

    /** The next piece of the plan, waiting where it has not come yet; empty where stopped. */
    private ByteBuffer next(Records records) throws InterruptedException {
        byte[] found = entries.poll();
        if (found == null) {
            records.flush();
            found = entries.take();
        }
        return ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** False where the session was stopped meanwhile. */
    private boolean waitUntil(long due) {
        for (long left; !stopped && (left = due - System.nanoTime()) > 0;)
            LockSupport.parkNanos(left);
        return !stopped;
    }

    private void execute(int number, int row) throws SQLException {
        PreparedStatement statement = prepared.get(number);
        List<Object> values = Load.statements.get(number).rows.get(row);
        for (int i = 0; i < values.size(); i++)
            statement.setObject(i + 1, values.get(i));
        if (!statement.execute())
            return;
        try (ResultSet found = statement.getResultSet()) {
            int columns = found.getMetaData().getColumnCount();
            while (found.next())
                for (int i = 1; i <= columns; i++)
                    found.getObject(i);
        }
    }

    private void finish(boolean rollback) throws SQLException {
        if (rollback)
            connection.rollback();
        else
            connection.commit();
    }
}
