// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/base64"
	"encoding/binary"
	"math"
)

const (
	executed     = 0
	dropped      = -1
	flushNs      = 100_000_000
	flushRecords = 2048
	recordBytes  = 32
)

// What a session has done since its last flush.
type records struct {
	session int
	data    []byte
	errors  []string
	flushed int64
}

func (r *records) add(due, began, ended int64, statement uint32, outcome int32) {
	for _, ns := range []int64{due, began, ended} {
		r.data = binary.LittleEndian.AppendUint64(r.data, math.Float64bits(float64(ns)))
	}
	r.data = binary.LittleEndian.AppendUint32(r.data, statement)
	r.data = binary.LittleEndian.AppendUint32(r.data, uint32(outcome))
}

// failed returns the outcome that stands for this error until the next flush.
func (r *records) failed(text string) int32 {
	for i, known := range r.errors {
		if known == text {
			return int32(i + 1)
		}
	}
	r.errors = append(r.errors, text)
	return int32(len(r.errors))
}

// flushIfDue takes the moment at which this session can flush again.
func (r *records) flushIfDue(until int64) {
	if len(r.data) >= flushRecords*recordBytes || until-r.flushed >= flushNs {
		r.flush()
	}
}

func (r *records) flush() {
	r.flushed = now()
	if len(r.data) == 0 {
		return
	}
	text := base64.StdEncoding.EncodeToString(r.data)
	reply(message{"session": r.session, "records": text, "errors": append([]string{}, r.errors...)})
	r.data, r.errors = r.data[:0], nil
}
