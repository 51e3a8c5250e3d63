// SPDX-License-Identifier: GPL-2.0-or-later

// go-ora as a scenario client; ../README.md says what it is asked.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"

	"goora/connect"
)

type request struct {
	Do string `json:"do"`
	connect.How
	SQL   string `json:"sql"`
	Binds []any  `json:"binds"`
	Times int    `json:"times"`
	Keep  bool   `json:"keep"`
}

type answer map[string]any

type session struct {
	db   *sql.DB
	conn *sql.Conn

	mutex     sync.Mutex
	cancel    context.CancelFunc
	breakSent time.Time
}

func (s *session) connect(how connect.How) (err error) {
	if s.db, err = connect.Open(how); err != nil {
		return err
	}
	s.conn, err = s.db.Conn(context.Background())
	return err
}

func fetched(found *sql.Rows) ([][]any, error) {
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

// A bind that is an object is a point in time with its zone.
func withTimes(binds []any) ([]any, error) {
	for i, bind := range binds {
		object, is := bind.(map[string]any)
		if !is {
			continue
		}
		text, _ := object["timestamp"].(string)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, err
		}
		binds[i] = at
	}
	return binds, nil
}

func (s *session) executeOnce(ctx context.Context, ask request) ([][]any, int64, error) {
	words := strings.Fields(strings.ToLower(ask.SQL))
	if len(words) > 0 && (words[0] == "select" || words[0] == "with") {
		found, err := s.conn.QueryContext(ctx, ask.SQL, ask.Binds...)
		if err != nil {
			return nil, 0, err
		}
		defer found.Close()
		rows, err := fetched(found)
		return rows, 0, err
	}
	result, err := s.conn.ExecContext(ctx, ask.SQL, ask.Binds...)
	if err != nil {
		return nil, 0, err
	}
	changed, err := result.RowsAffected()
	return [][]any{}, changed, err
}

func (s *session) query(ctx context.Context, ask request) answer {
	elapsed := []float64{}
	var rows [][]any
	var changed int64
	var err error
	if ask.Binds, err = withTimes(ask.Binds); err != nil {
		return s.failed(err)
	}
	for i := 0; i < ask.Times; i++ {
		began := time.Now()
		if rows, changed, err = s.executeOnce(ctx, ask); err != nil {
			return s.failed(err)
		}
		elapsed = append(elapsed, time.Since(began).Seconds())
	}
	count := len(rows)
	if !ask.Keep {
		rows = [][]any{}
	}
	return answer{"elapsed_s": elapsed, "rows": rows, "row_count": count, "changed": changed}
}

func (s *session) failed(err error) answer {
	returned := time.Now()
	text, _, _ := strings.Cut(err.Error(), "\n")
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.breakSent.IsZero() {
		return answer{"error": text}
	}
	return answer{"error": text, "break_ms": returned.Sub(s.breakSent).Seconds() * 1e3}
}

func (s *session) begin() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cancel, s.breakSent = cancel, time.Time{}
	return ctx
}

func (s *session) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cancel()
	s.cancel = nil
}

func (s *session) sendBreak() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.cancel != nil {
		s.breakSent = time.Now()
		s.cancel()
	}
}

func (s *session) ping(times int) (answer, error) {
	elapsed := []float64{}
	for i := 0; i < times; i++ {
		began := time.Now()
		if err := s.conn.PingContext(context.Background()); err != nil {
			return nil, err
		}
		elapsed = append(elapsed, time.Since(began).Seconds())
	}
	return answer{"elapsed_s": elapsed}, nil
}

func (s *session) carryOut(ask request) (answer, error) {
	background := context.Background()
	done := answer{}
	var err error
	switch ask.Do {
	case "connect":
		err = s.connect(ask.How)
	case "commit", "rollback":
		_, err = s.conn.ExecContext(background, ask.Do)
	case "ping":
		done, err = s.ping(ask.Times)
	case "close":
		s.conn.Close()
		err = s.db.Close()
	}
	return done, err
}

func main() {
	say := json.NewEncoder(os.Stdout).Encode
	// It always asks for an SDU of 2 MiB: there is no option for another.
	say(answer{"driver": "go-ora", "version": connect.Version(), "out_of_band": true, "sdu": false})
	s := &session{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var ask request
		if err := json.Unmarshal(lines.Bytes(), &ask); err != nil {
			say(answer{"error": err.Error()})
			continue
		}
		switch ask.Do {
		case "break":
			s.sendBreak()
		case "query":
			ctx := s.begin()
			go func() {
				done := s.query(ctx, ask)
				s.end()
				say(done)
			}()
		default:
			if done, err := s.carryOut(ask); err != nil {
				text, _, _ := strings.Cut(err.Error(), "\n")
				say(answer{"error": text})
			} else {
				say(done)
			}
		}
	}
}
