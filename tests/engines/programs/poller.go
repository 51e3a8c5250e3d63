// SPDX-License-Identifier: GPL-2.0-or-later
// Two goroutines that send a byte to and fro: the runtime asks its epoll set, often without waiting.
package main

import (
	"fmt"
	"io"
	"net"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		server, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		io.Copy(server, server)
	}()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	fmt.Println("go")
	byte1 := make([]byte, 1)
	for {
		client.Write(byte1)
		client.Read(byte1)
	}
}
