// SPDX-License-Identifier: GPL-2.0-or-later
// An event loop that waits for nothing on a set with a connected socket, without an end.
const net = require("net");

const server = net
  .createServer(() => {})
  .listen(0, "127.0.0.1", () => {
    net.connect(server.address().port, "127.0.0.1", () => {
      console.log("go");
      const again = () => setImmediate(again);
      again();
    });
  });
