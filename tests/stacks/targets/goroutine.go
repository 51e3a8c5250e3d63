// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the stack of a goroutine as Go's own unwinder finds it, and waits.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
)

//go:noinline
func walks(done chan bool) {
	addresses := make([]uintptr, 64)
	for _, address := range addresses[:runtime.Callers(1, addresses)] {
		fmt.Printf("%x ", address)
	}
	fmt.Println()
	done <- true
}

func main() {
	done := make(chan bool)
	go walks(done)
	<-done
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}
