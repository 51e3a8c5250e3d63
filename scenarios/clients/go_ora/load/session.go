// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"math"
	"syscall"
	"time"

	"goora/connect"
)

const entryBytes = 16

// A sleep by Go's own timers may be a millisecond late; what is left then is slept by the kernel.
const goTimerNs = 2_000_000

type connecting struct {
	connect.How
	AtNs     int64    `json:"at_ns"`
	First    []string `json:"first"`
	Identify []string `json:"identify"`
}

type running struct {
	StartNs   int64  `json:"start_ns"`
	EndNs     int64  `json:"end_ns"`
	OpenLoop  bool   `json:"open_loop"`
	MaxLagNs  *int64 `json:"max_lag_ns"`
	PerCommit int    `json:"per_commit"`
	Rollback  bool   `json:"rollback"`
}

// One connection; its requests come by channels.
type session struct {
	number   int
	begin    chan running
	entries  chan []byte
	stopped  chan struct{}
	db       *sql.DB
	conn     *sql.Conn
	prepared []*sql.Stmt
	tx       driver.Tx
}

func newSession(number int) *session {
	return &session{
		number:  number,
		begin:   make(chan running, 1),
		entries: make(chan []byte, 1<<16),
		stopped: make(chan struct{}),
	}
}

func (s *session) add(entries []byte) {
	select {
	case s.entries <- entries:
	case <-s.stopped:
	}
}

func (s *session) stop() {
	select {
	case <-s.stopped:
	default:
		close(s.stopped)
	}
}

func (s *session) work(ask connecting) {
	if err := s.connect(ask); err != nil {
		reply(message{"session": s.number, "failed": brief(err)})
		return
	}
	var failure any
	err := s.executeAll(<-s.begin)
	s.conn.Close()
	s.db.Close()
	if err != nil {
		failure = brief(err)
	}
	reply(message{"session": s.number, "ended": failure})
}

func (s *session) connect(ask connecting) (err error) {
	background := context.Background()
	if s.db, err = connect.Open(ask.How); err != nil {
		return err
	}
	time.Sleep(time.Duration(ask.AtNs - now()))
	began := now()
	if s.conn, err = s.db.Conn(background); err != nil {
		return err
	}
	ended := now()
	for _, text := range ask.First {
		if _, err = s.conn.ExecContext(background, text); err != nil {
			return err
		}
	}
	identity := []any{}
	for _, text := range ask.Identify {
		identity = append(identity, s.oneValue(text))
	}
	for _, each := range statements {
		prepared, err := s.conn.PrepareContext(background, each.SQL)
		if err != nil {
			return err
		}
		s.prepared = append(s.prepared, prepared)
	}
	if err = s.conn.Raw(s.beginTransaction); err != nil {
		return err
	}
	reply(message{"session": s.number, "began_ns": began, "connected_ns": ended,
		"identity": identity})
	return nil
}

func (s *session) oneValue(text string) any {
	var value sql.NullString
	row := s.conn.QueryRowContext(context.Background(), text)
	if row.Scan(&value) != nil || !value.Valid {
		return nil
	}
	return value.String
}

// Until a transaction begins, go-ora commits each execution by itself. Beginning one sends nothing.
func (s *session) beginTransaction(connection any) (err error) {
	beginner := connection.(driver.ConnBeginTx)
	s.tx, err = beginner.BeginTx(context.Background(), driver.TxOptions{})
	return err
}

func (s *session) finish(rollback bool) error {
	return s.conn.Raw(func(connection any) error {
		end := s.tx.Commit
		if rollback {
			end = s.tx.Rollback
		}
		if err := end(); err != nil {
			return err
		}
		return s.beginTransaction(connection)
	})
}

// executeAll carries out the plan until the end; the error that ended the session before that.
func (s *session) executeAll(how running) error {
	done := records{session: s.number, flushed: now()}
	defer done.flush()
	changed, previous := 0, how.StartNs
	var entries []byte
	for {
		if len(entries) == 0 {
			if entries = s.next(&done); entries == nil {
				break
			}
		}
		number := binary.LittleEndian.Uint32(entries)
		row := binary.LittleEndian.Uint32(entries[4:])
		due := previous + int64(math.Float64frombits(binary.LittleEndian.Uint64(entries[8:])))
		if how.OpenLoop {
			due += how.StartNs - previous
		}
		entries = entries[entryBytes:]
		if due >= how.EndNs || !s.waitUntil(due, &done) {
			break
		}
		began := now()
		if began >= how.EndNs {
			break
		}
		if how.MaxLagNs != nil && began-due > *how.MaxLagNs {
			at := began - how.StartNs
			done.add(due-how.StartNs, at, at, number, dropped)
			done.flushIfDue(began)
			continue
		}
		err := s.execute(number, row)
		if err == nil && !statements[number].Query {
			if changed++; changed >= how.PerCommit {
				changed = 0
				err = s.finish(how.Rollback)
			}
		}
		outcome := int32(executed)
		previous = now()
		if err != nil {
			outcome = done.failed(brief(err))
		}
		done.add(due-how.StartNs, began-how.StartNs, previous-how.StartNs, number, outcome)
		if err != nil && s.conn.PingContext(context.Background()) != nil {
			return err
		}
		done.flushIfDue(previous)
	}
	if changed > 0 {
		return s.finish(how.Rollback)
	}
	return nil
}

// next returns the next piece of the plan, waiting where it has not come yet; nil where stopped.
func (s *session) next(done *records) []byte {
	select {
	case entries := <-s.entries:
		return entries
	default:
		done.flush()
	}
	select {
	case entries := <-s.entries:
		return entries
	case <-s.stopped:
		return nil
	}
}

// waitUntil returns false where the session was stopped meanwhile.
func (s *session) waitUntil(due int64, done *records) bool {
	done.flushIfDue(max(due, now()))
	if left := due - now(); left > goTimerNs {
		timer := time.NewTimer(time.Duration(left - goTimerNs))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.stopped:
			return false
		}
	}
	for left := due - now(); left > 0; left = due - now() {
		rest := syscall.NsecToTimespec(left)
		syscall.Nanosleep(&rest, nil)
	}
	select {
	case <-s.stopped:
		return false
	default:
		return true
	}
}

// execute executes one statement and fetches all its rows.
func (s *session) execute(number, row uint32) error {
	each := &statements[number]
	background := context.Background()
	if !each.Query {
		_, err := s.prepared[number].ExecContext(background, each.Rows[row]...)
		return err
	}
	found, err := s.prepared[number].QueryContext(background, each.Rows[row]...)
	if err != nil {
		return err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return err
	}
	into := make([]any, len(columns))
	for i := range into {
		into[i] = new(any)
	}
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return err
		}
	}
	return found.Err()
}
