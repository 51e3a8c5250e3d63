// SPDX-License-Identifier: GPL-2.0-or-later
// Selects without waiting on a selector with a connected socket, without an end.
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

public final class Poller {
    public static void main(String[] arguments) throws Exception {
        var listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var client = SocketChannel.open(listener.getLocalAddress());
        var server = listener.accept();
        server.configureBlocking(false);
        var selector = Selector.open();
        server.register(selector, SelectionKey.OP_READ);
        System.out.println("go");
        while (client.isOpen()) selector.selectNow();
    }
}
