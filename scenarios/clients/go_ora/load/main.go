// SPDX-License-Identifier: GPL-2.0-or-later

// go-ora as a load client; ../../README.md has the requests.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"goora/connect"
)

type statement struct {
	SQL   string  `json:"sql"`
	Query bool    `json:"query"`
	Rows  [][]any `json:"rows"`
}

type request struct {
	Do         string      `json:"do"`
	Session    int         `json:"session"`
	Statements []statement `json:"statements"`
	Entries    string      `json:"entries"`
	connecting
	running
}

type message map[string]any

var output sync.Mutex
var statements []statement

func reply(m message) {
	line, _ := json.Marshal(m)
	output.Lock()
	defer output.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

func brief(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text[:min(len(text), 300)]
}

// CLOCK_MONOTONIC as the generator reads it. Go's own monotonic clock is the same one, without a
// way to read its value.
var clockStart, goStart = monotonic(), time.Now()

func monotonic() int64 {
	var at syscall.Timespec
	const clockMonotonic = 1
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func now() int64 {
	return clockStart + int64(time.Since(goStart))
}

// A JSON number as int64 where it is whole, so that it keeps all its digits.
func values(row []any) []any {
	for i, value := range row {
		if number, is := value.(json.Number); is {
			if whole, err := number.Int64(); err == nil {
				row[i] = whole
			} else {
				row[i], _ = number.Float64()
			}
		}
	}
	return row
}

func parsed(line []byte) (ask request, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	err = decoder.Decode(&ask)
	for _, each := range ask.Statements {
		for _, row := range each.Rows {
			values(row)
		}
	}
	return ask, err
}

func main() {
	reply(message{"driver": "go-ora", "version": connect.Version()})
	sessions := map[int]*session{}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		ask, err := parsed(line)
		if err != nil {
			os.Exit(1)
		}
		switch ask.Do {
		case "prepare":
			statements = ask.Statements
		case "connect":
			sessions[ask.Session] = newSession(ask.Session)
			go sessions[ask.Session].work(ask.connecting)
		case "plan":
			entries, _ := base64.StdEncoding.DecodeString(ask.Entries)
			sessions[ask.Session].add(entries)
		case "run":
			sessions[ask.Session].begin <- ask.running
		case "stop":
			sessions[ask.Session].stop()
		}
	}
}
