// SPDX-License-Identifier: GPL-2.0-or-later
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** What a session of a load has done since its last flush. */
class Records {
    static final int EXECUTED = 0, DROPPED = -1;
    private static final int RECORD_BYTES = 32, FLUSH_RECORDS = 2048;
    private static final long FLUSH_NS = 100_000_000;

    private final int session;
    private final ByteBuffer data =
        ByteBuffer.allocate(FLUSH_RECORDS * RECORD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private List<String> errors = new ArrayList<>();
    private long flushed = System.nanoTime();

    Records(int session) {
        this.session = session;
    }

    void add(long due, long began, long ended, int statement, int outcome) {
        data.putDouble(due).putDouble(began).putDouble(ended).putInt(statement).putInt(outcome);
        if (!data.hasRemaining())
            flush();
    }

    /** The outcome that stands for this error until the next flush. */
    int failed(String text) {
        if (!errors.contains(text))
            errors.add(text);
        return 1 + errors.indexOf(text);
    }

    /** `until`: when this session can flush again. */
    void flushIfDue(long until) {
        if (until - flushed >= FLUSH_NS)
            flush();
    }

    void flush() {
        flushed = System.nanoTime();
        if (data.position() == 0)
            return;
        byte[] used = Arrays.copyOf(data.array(), data.position());
        String text = Base64.getEncoder().encodeToString(used);
        Load.reply(Map.of("session", session, "records", text, "errors", errors));
        data.clear();
        errors = new ArrayList<>();
    }
}
