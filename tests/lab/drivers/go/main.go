// SPDX-License-Identifier: GPL-2.0-or-later

// Carries out what is asked of it line by line: see test_drivers.py.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	_ "github.com/sijms/go-ora/v2"
)

type request struct {
	Ask   string `json:"ask"`
	SQL   string `json:"sql"`
	Binds []any  `json:"binds"`
}

func say(answer map[string]any) {
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func brief(err error) string {
	return strings.SplitN(err.Error(), "\n", 2)[0]
}

func rows(found *sql.Rows) ([][]any, error) {
	columns, err := found.Columns()
	if err != nil {
		return nil, err
	}
	all := [][]any{}
	for found.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, found.Err()
}

func run(ctx context.Context, on *sql.Conn, ask request) {
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(ask.SQL)), "select") {
		result, err := on.ExecContext(ctx, ask.SQL, ask.Binds...)
		if err != nil {
			say(map[string]any{"error": brief(err)})
			return
		}
		changed, _ := result.RowsAffected()
		say(map[string]any{"rows": []any{}, "changed": changed})
		return
	}
	found, err := on.QueryContext(ctx, ask.SQL, ask.Binds...)
	if err == nil {
		defer found.Close()
		var all [][]any
		if all, err = rows(found); err == nil {
			say(map[string]any{"rows": all, "changed": 0})
			return
		}
	}
	say(map[string]any{"error": brief(err)})
}

func main() {
	url := "oracle://scott:tiger@127.0.0.1:" + os.Args[1] + "/LAB"
	if os.Args[2] == "out-of-band" {
		url += "?ENABLE_OOB=true"
	}
	db, err := sql.Open("oracle", url)
	if err != nil {
		panic(err)
	}
	background := context.Background()
	on, err := db.Conn(background)
	if err != nil {
		say(map[string]any{"error": brief(err)})
		os.Exit(1)
	}
	say(map[string]any{"ready": "go-ora"})
	cancel := func() {}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var ask request
		if err := json.Unmarshal(lines.Bytes(), &ask); err != nil {
			panic(err)
		}
		switch ask.Ask {
		case "query":
			var ctx context.Context
			ctx, cancel = context.WithCancel(background)
			go run(ctx, on, ask)
		case "cancel":
			cancel()
		case "ping":
			if err := on.PingContext(background); err != nil {
				say(map[string]any{"error": brief(err)})
			} else {
				say(map[string]any{"done": "ping"})
			}
		case "close":
			on.Close()
			db.Close()
			say(map[string]any{"done": "close"})
		}
	}
}
