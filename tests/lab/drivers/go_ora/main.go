// SPDX-License-Identifier: GPL-2.0-or-later

// go-ora, any version; ../README.md describes what this program does.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	goora "github.com/sijms/go-ora/v2"
)

var arguments = os.Args[1:]

func check(name string, got, want any) {
	wrong := ""
	if !reflect.DeepEqual(got, want) {
		wrong = fmt.Sprintf("%T %.200v, not %T %.200v", got, got, want, want)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]string{"check": name, "wrong": wrong})
}

// Whether the driver is of this version of its second major one, or later.
func since(minor int) bool {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if strings.Contains(module.Path, "go-ora") {
			own, _ := strconv.Atoi(strings.Split(module.Version, ".")[1])
			return own >= minor
		}
	}
	return true
}

// The LOB, which says that it is not NULL where its type can: that of 2.4 cannot.
func valid[LOB any](lob LOB) LOB {
	if field := reflect.ValueOf(&lob).Elem().FieldByName("Valid"); field.IsValid() {
		field.SetBool(true)
	}
	return lob
}

// Says what the version cannot do, and is therefore not asked.
func leftOut(what string) { check("left out: "+what, nil, nil) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func connect(user, password string, options map[string]string) (*sql.Conn, error) {
	port, _ := strconv.Atoi(arguments[1])
	db, err := sql.Open("oracle", goora.BuildUrl(arguments[0], port, arguments[2], user, password, options))
	if err != nil {
		return nil, err
	}
	return db.Conn(context.Background())
}

func failure(err error) string {
	if err == nil {
		return "done"
	}
	text := err.Error()
	if at := strings.Index(text, "ORA-"); at >= 0 && len(text) >= at+9 {
		return text[at : at+9]
	}
	return text
}

func lengths() []int {
	var all []int
	for _, part := range strings.Split(arguments[4], ",") {
		first, last, _ := strings.Cut(part, "-")
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all
}

func execute(c *sql.Conn, text string, binds ...any) (int64, error) {
	result, err := c.ExecContext(context.Background(), text, binds...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Values as text, so that it does not matter what type a driver makes of them; NULL is <nil>.
func rows(c *sql.Conn, text string, binds ...any) [][]string {
	found, err := c.QueryContext(context.Background(), text, binds...)
	if err != nil {
		return [][]string{{err.Error()}}
	}
	defer found.Close()
	columns, _ := found.Columns()
	all := [][]string{}
	for found.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := found.Scan(into...); err != nil {
			return [][]string{{err.Error()}}
		}
		texts := make([]string, len(row))
		for i, value := range row {
			switch v := value.(type) {
			case time.Time:
				texts[i] = v.UTC().Format(time.RFC3339Nano)
			case goora.TimeStamp: // before 2.5.23
				texts[i] = time.Time(v).UTC().Format(time.RFC3339Nano)
			case []byte:
				texts[i] = fmt.Sprintf("%x", v)
			default:
				texts[i] = fmt.Sprint(value)
			}
		}
		all = append(all, texts)
	}
	if err := found.Err(); err != nil {
		return append(all, []string{err.Error()})
	}
	return all
}

func value(text string) string {
	if text == "" {
		return "<nil>"
	}
	return text
}

func checkLengths(c *sql.Conn) {
	wrong := []string{}
	binds, texts := []any{"v1", 12.5, nil, "é€"}, []string{"v1", "12.5", "<nil>", "é€"}
	if !since(5) {
		leftOut("binds of bytes, and of timestamps with a fraction: it has none")
	} else {
		binds = append(binds, goora.TimeStamp(time.Date(2024, 7, 1, 12, 34, 56, 123456789, time.UTC)), []byte{0, 254, 255})
		texts = append(texts, "2024-07-01T12:34:56.123456789Z", "00feff")
	}
	if last := len(binds) - 1; since(7) {
		binds[0], binds[last] = binds[last], binds[0]
		texts[0], texts[last] = texts[last], texts[0]
	} else if since(5) {
		leftOut("bytes before other binds: it sends their values last")
	}
	marks := strings.Join([]string{":a s", ":b n", ":c", ":d t", ":e m", ":f r"}[:len(binds)], ", ")
	for _, n := range lengths() {
		got := rows(c, "select "+strings.Repeat(" ", n)+marks+" from dual", binds...)
		if !reflect.DeepEqual(got, [][]string{texts}) {
			wrong = append(wrong, fmt.Sprint(n, got))
		}
	}
	check("binds after a statement of any length", wrong, []string{})
	wrong = []string{}
	for _, n := range lengths() {
		var out string
		var number int64
		_, err := execute(c, "begin "+strings.Repeat(" ", n)+"select 'v' || :a, 7 into :b, :c from dual; end;",
			n, goora.Out{Dest: &out, Size: 100}, sql.Out{Dest: &number})
		if err != nil || out != fmt.Sprintf("v%d", n) || number != 7 {
			wrong = append(wrong, fmt.Sprint(n, err, out, number))
		}
	}
	check("binds of a block of any length", wrong, []string{})
	wrong = []string{}
	for _, n := range lengths() {
		columns, want := "", []string{}
		for i := 0; i < n/4000; i++ {
			columns += fmt.Sprintf("lpad('x', 4000, 'x') c%d, ", i)
			want = append(want, strings.Repeat("x", 4000))
		}
		want = append(want, value(strings.Repeat("x", n%4000)))
		got := rows(c, fmt.Sprintf("select %slpad('x', %d, 'x') x, level n from dual connect by level <= 3", columns, n%4000))
		for i, row := range got {
			if !reflect.DeepEqual(row, append(append([]string{}, want...), fmt.Sprint(i+1))) {
				wrong = append(wrong, fmt.Sprintf("%d %.100v", n, row))
			}
		}
		if len(got) != 3 {
			wrong = append(wrong, fmt.Sprint(n, len(got)))
		}
	}
	check("rows of any length", wrong, []string{})
	_, err := execute(c, "create table lengths (n number, v varchar2(4000))")
	must(err)
	if since(7) {
		checkArrayLengths(c)
	} else {
		leftOut("slices, which are arrays of PL/SQL")
	}
	wrong = []string{}
	for _, n := range lengths() {
		var key int64
		var out string
		text := strings.Repeat("y", n%3999+1)
		err := returning(c, "lengths", n, text, &key, &out, strings.Repeat(" ", n))
		if err != nil || key != int64(n) || out != text {
			wrong = append(wrong, fmt.Sprint(n, err, key, len(out)))
		}
	}
	check("RETURNING of any length", wrong, []string{})
	_, err = execute(c, "drop table lengths")
	must(err)
}

func checkArrayLengths(c *sql.Conn) {
	wrong := []string{}
	for _, n := range lengths() {
		keys, values, want := []int64{}, []string{}, [][]string{}
		for i := 0; i < 3; i++ {
			text := strings.Repeat("y", n*(i+1)/3%4000)
			keys, values = append(keys, int64(i)), append(values, text)
			want = append(want, []string{fmt.Sprint(i), value(text)})
		}
		if _, err := execute(c, "insert into lengths values (:1, :2)", keys, values); err != nil {
			wrong = append(wrong, fmt.Sprint(n, err))
		}
		if got := rows(c, "select n, v from lengths order by n"); !reflect.DeepEqual(got, want) {
			wrong = append(wrong, fmt.Sprint(n))
		}
		_, err := execute(c, "delete from lengths")
		must(err)
	}
	check("arrays of binds of any length", wrong, []string{})
}

func checkBatches(c *sql.Conn) {
	if !since(7) {
		leftOut("slices, which are arrays of PL/SQL")
		return
	}
	_, err := execute(c, "create table batches (n number primary key, v varchar2(10))")
	must(err)
	for _, count := range []int{1, 3000, 20000} {
		keys, values := make([]int64, count), make([]string, count)
		for i := range keys {
			keys[i], values[i] = int64(i), strings.Repeat("x", i%11)
		}
		changed, err := execute(c, "insert into batches values (:1, :2)", keys, values)
		check(fmt.Sprintf("error of %d", count), err, nil)
		check(fmt.Sprintf("rows changed by %d", count), changed, int64(count))
		check(fmt.Sprintf("rows there of %d", count), rows(c, "select count(*), sum(n) from batches"),
			[][]string{{fmt.Sprint(count), fmt.Sprint(count * (count - 1) / 2)}})
		_, err = execute(c, "delete from batches")
		must(err)
	}
	_, err = execute(c, "insert into batches values (:1, :2)", []int64{7, 8, 7}, []string{"x", "x", "x"})
	check("an error in a batch", failure(err), "ORA-00001")
	check("the session lives", rows(c, "select count(*) from batches"), [][]string{{"2"}})
	_, err = execute(c, "drop table batches")
	must(err)
}

func checkTypes(c *sql.Conn) {
	moment := time.Date(2024, 7, 1, 12, 34, 56, 123456789, time.UTC)
	back := func(name string, bind any, want string) {
		check(name, rows(c, "select :1 from dual", bind), [][]string{{want}})
	}
	back("int", 42, "42")
	back("negative", -17, "-17")
	back("float", 1.5, "1.5")
	back("text", "text", "text")
	back("text that is not ASCII", "é€😀", "é€😀")
	back("national text", goora.NVarChar("é€😀"), "é€😀")
	back("long text", strings.Repeat("x", 4000), strings.Repeat("x", 4000))
	if !since(5) {
		leftOut("binds of bytes, and of timestamps with a fraction: it has none")
	} else {
		back("raw", []byte{0, 1, 255}, "0001ff")
		back("timestamp", goora.TimeStamp(moment), "2024-07-01T12:34:56.123456789Z")
	}
	if since(7) { // before, a time was a DATE
		back("time in UTC", moment, "2024-07-01T12:34:56.123456789Z")
		back("time in a zone", moment.In(time.FixedZone("", 7200)), "2024-07-01T12:34:56.123456789Z")
	} else {
		leftOut("a time's fraction and zone: it binds a DATE")
		back("time in UTC", moment, "2024-07-01T12:34:56Z")
	}
	back("null", nil, "<nil>")
	checkBinaryNumbers(c)
	check("the session lives", rows(c, "select 1 from dual"), [][]string{{"1"}})
}

// It binds no BINARY_DOUBLE: these are literals.
func checkBinaryNumbers(c *sql.Conn) {
	execute(c, "create table bits (d binary_double, f binary_float)")
	for _, value := range []string{"0.30000000000000004", "-0.3333333333333333", "1.7976931348623157e+308", "5e-324", "-5e-324"} {
		_, err := execute(c, "insert into bits (d) values ("+value+"d)")
		check("insert of "+value, err, nil)
		check("bits of "+value, rows(c, "select d, "+value+"d from bits where d = "+value+"d"), [][]string{{value, value}})
	}
	execute(c, "delete from bits")
	_, err := execute(c, "insert into bits values (-0d, 0.1f)")
	check("insert", err, nil)
	single := "0.1"
	if since(7) && !since(8) { // makes a double of it
		single = "0.10000000149011612"
	}
	check("a single", rows(c, "select f from bits"), [][]string{{single}})
	if since(5) {
		check("a zero", rows(c, "select d from bits"), [][]string{{"0"}})
	} else {
		leftOut("a BINARY_DOUBLE that is zero, which it takes for no number")
	}
	check("what has no digits", rows(c, "select 1d / 0, -1d / 0, binary_double_nan from dual"), [][]string{{"+Inf", "-Inf", "NaN"}})
	check("a sum", rows(c, "select 0.1d + 0.2d from dual"), [][]string{{"0.30000000000000004"}})
	execute(c, "drop table bits")
}

func checkRowids(c *sql.Conn) {
	if !since(5) {
		leftOut("columns of ROWIDs, of which it reads each twice")
		return
	}
	execute(c, "create table rowids (n number)")
	execute(c, "insert into rowids select level from dual connect by level <= 1000")
	all := rows(c, "select rowid, n from rowids order by n")
	seen := map[string]bool{}
	for i, row := range all {
		seen[row[0]] = true
		if i%83 == 0 {
			got := rows(c, "select n from rowids where rowid = :1", row[0])
			check("bound as text, row "+row[1], got, [][]string{{row[1]}})
		}
	}
	check("different ones", len(seen), 1000)
	var out string
	_, err := execute(c, "delete from rowids where n = 500 returning rowid into :1", goora.Out{Dest: &out, Size: 18})
	check("returned", fmt.Sprint(err, out), fmt.Sprint(nil, all[499][0]))
	execute(c, "drop table rowids")
}

func checkLobs(c *sql.Conn) {
	execute(c, "create table lobs (n number, c clob, b blob)")
	sizes := []int{1, 3000, 5000, 40000, 200000}
	if !since(5) {
		leftOut("LOBs that fill more than a packet: it panics (sijms/go-ora issues 97 and 101)")
		sizes = sizes[:3]
	}
	text := func(n int) string { return strings.Repeat([]string{"é", "€", "ü", "x"}[n%4], sizes[n]) }
	data := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, sizes[n]) }
	for n := range sizes {
		clob, blob := valid(goora.Clob{String: text(n)}), valid(goora.Blob{Data: data(n)})
		_, err := execute(c, "insert into lobs values (:1, :2, :3)", n, clob, blob)
		check(fmt.Sprintf("insert %d", n), err, nil)
	}
	execute(c, "insert into lobs values (5, null, null)")
	for _, mode := range []string{"pre", "post"} {
		longest := 200000
		if mode == "pre" && since(7) && !since(8) {
			leftOut("the end of a LOB of more than 32,768 characters, fetched with its row: it drops that")
			longest = 32768
		}
		other, err := connect("scott", "tiger", map[string]string{"lob fetch": mode})
		must(err)
		execute(c, "commit")
		got := rows(other, "select n, c, b from lobs order by n")
		for n := range sizes {
			if sizes[n] > longest {
				continue
			}
			fine := len(got) == len(sizes)+1 && got[n][1] == text(n) && got[n][2] == fmt.Sprintf("%x", data(n))
			check(fmt.Sprintf("%s %d", mode, n), fine, true)
		}
		other.Close()
	}
	execute(c, "drop table lobs")
}

func checkCursors(c *sql.Conn) {
	for i := 0; i < 3; i++ {
		var cursor goora.RefCursor
		_, err := execute(c, "begin open :1 for select level n, :2 v from dual connect by level <= 250; end;", sql.Out{Dest: &cursor}, "v")
		check(fmt.Sprintf("cursor %d", i), err, nil)
		found, err := cursor.Query()
		if err != nil {
			check("cursor", err.Error(), "")
			return
		}
		count, row := 0, make([]driver.Value, 2)
		for found.Next(row) == nil {
			count++
			if fmt.Sprint(row[0]) != strconv.Itoa(count) || row[1] != "v" {
				check("row", fmt.Sprint(row), "")
			}
		}
		check(fmt.Sprintf("rows of cursor %d", i), count, 250)
		cursor.Close()
	}
	check("the session lives", rows(c, "select 1 from dual"), [][]string{{"1"}})
}

// Inserts a row and returns it. Between 2.5 and 2.8 the driver knows a RETURNING clause by its
// form: 2.5 with one name, 2.7 with several. Of others it sends binds that no server can read.
func returning(c *sql.Conn, table string, n int, v string, key *int64, text *string, end string) error {
	insert := "insert into " + table + " values (:1, :2) returning "
	if since(7) || !since(5) {
		_, err := execute(c, insert+"n, v into :3, :4"+end, n, v, sql.Out{Dest: key}, goora.Out{Dest: text, Size: 4000})
		return err
	}
	*text = v
	_, err := execute(c, insert+"n into :3"+end, n, v, sql.Out{Dest: key})
	return err
}

func checkReturning(c *sql.Conn) {
	execute(c, "create table returning (n number primary key, v varchar2(10))")
	if since(5) && !since(7) {
		leftOut("more than one column in RETURNING, whose binds it sends so that no server can read them")
	}
	for i := 0; i < 3; i++ {
		var n int64
		var v string
		err := returning(c, "returning", i, "v", &n, &v, "")
		check(fmt.Sprintf("insert %d", i), fmt.Sprint(err, n, v), fmt.Sprint(nil, int64(i), "v"))
	}
	if since(8) || !since(5) {
		var n int64
		var v string
		_, err := execute(c, "insert into returning values (:1, :2) returning n + 1, v || '!' into :3, :4",
			7, "v", sql.Out{Dest: &n}, goora.Out{Dest: &v, Size: 20})
		check("expressions", fmt.Sprint(err, n, v), fmt.Sprint(nil, 8, "v!"))
		execute(c, "delete from returning where n = 7")
	} else {
		leftOut("expressions in RETURNING, of which the same is true")
	}
	check("the session lives", rows(c, "select count(*) from returning"), [][]string{{"3"}})
	execute(c, "drop table returning")
}

func checkDescribed(c *sql.Conn) {
	for _, text := range []string{
		"create table described (a number(5,2), b varchar2(3), c number, d date)",
		"insert into described values (null, null, null, null)",
		"insert into described values (1.25, 'abc', 7, null)",
	} {
		_, err := execute(c, text)
		must(err)
	}
	found, err := c.QueryContext(context.Background(), "select * from described order by a nulls first")
	must(err)
	types, err := found.ColumnTypes()
	must(err)
	columns := []string{}
	for _, t := range types {
		columns = append(columns, fmt.Sprint(t.Name(), " ", t.DatabaseTypeName()))
	}
	precision, scale, _ := types[0].DecimalSize()
	if !since(7) {
		leftOut("the precision of a NUMBER, which it does not tell")
		precision, scale = 5, 2
	}
	length, _ := types[1].Length()
	found.Close()
	check("columns", fmt.Sprint(columns, precision, scale, length), "[A NUMBER B NCHAR C NUMBER D DATE] 5 2 3")
	check("a null first", rows(c, "select * from described order by a nulls first"),
		[][]string{{"<nil>", "<nil>", "<nil>", "<nil>"}, {"1.25", "abc", "7", "<nil>"}})
	check("an expression", rows(c, "select nullif(level, 1) n from dual connect by level <= 3"),
		[][]string{{"<nil>"}, {"2"}, {"3"}})
	_, err = execute(c, "drop table described")
	must(err)
}

func checkFetches(_ *sql.Conn) {
	want := [][]string{}
	for i := 1; i <= 1009; i++ {
		want = append(want, []string{fmt.Sprint(i), fmt.Sprintf("row%d", i)})
	}
	for _, size := range []string{"1", "2", "7", "100", "1000"} {
		c, err := connect("scott", "tiger", map[string]string{"PREFETCH_ROWS": size})
		must(err)
		check(size+" rows a fetch", rows(c, "select level, 'row' || level from dual connect by level <= 1009"), want)
		c.Close()
	}
}

func checkBlocks(c *sql.Conn) {
	for i := 0; i < 5; i++ {
		var out string
		_, err := execute(c, "begin select 'v' || :a into :b from dual; end;", i, goora.Out{Dest: &out, Size: 100})
		check(fmt.Sprintf("error of out bind %d", i), err, nil)
		check(fmt.Sprintf("out bind %d", i), out, fmt.Sprintf("v%d", i))
	}
}

func checkScrolling(_ *sql.Conn) {} // it has no such cursors

func checkCache(c *sql.Conn) {
	// Prepared once: what a driver keeps of a statement.
	own, err := c.PrepareContext(context.Background(), "select :1 v from dual")
	must(err)
	for i, value := range []any{"text", nil, strings.Repeat("x", 4000), "again", nil, "7"} {
		var got any
		err := own.QueryRow(value).Scan(&got)
		check(fmt.Sprintf("value %d of a prepared statement", i), fmt.Sprintf("%v %v", err, got), fmt.Sprintf("<nil> %v", value))
	}
	own.Close()
	for round := range [2]int{} {
		wrong := []string{}
		for n := 0; n < 60; n++ {
			if got := rows(c, fmt.Sprintf("select %d n, :1 v from dual", n), n); !reflect.DeepEqual(got, [][]string{{fmt.Sprint(n), fmt.Sprint(n)}}) {
				wrong = append(wrong, fmt.Sprint(n, got))
			}
		}
		check(fmt.Sprintf("sixty statements, round %d", round), wrong, []string{})
	}
	must(fails(execute(c, "create table cached (n number)")))
	for _, table := range [][]string{{"n number", "7"}, {"v varchar2(9), n number", "seven", "8"}, {"v varchar2(9)", "x"}} {
		must(fails(execute(c, "drop table cached")))
		must(fails(execute(c, "create table cached ("+table[0]+")")))
		must(fails(execute(c, "insert into cached values ('"+strings.Join(table[1:], "', '")+"')")))
		for _, times := range []string{"once", "again"} {
			check(table[0]+", "+times, rows(c, "select * from cached"), [][]string{table[1:]})
		}
	}
	must(fails(execute(c, "drop table cached")))
}

func fails(_ int64, err error) error { return err }

const burn = "select /*+ ordered use_nl(b) use_nl(c) use_nl(d) full(a) full(b) full(c) full(d) */ count(*)" +
	" from sys.obj$ a, sys.obj$ b, sys.obj$ c, sys.obj$ d where a.owner# = b.owner#" +
	" and b.owner# = c.owner# and c.owner# = d.owner# and rownum <= 2000000"

func checkCancels(_ *sql.Conn) {
	if !since(7) { // 2.4 knows no contexts
		if since(5) {
			leftOut("it announces urgent data and sends none, so no server listens for them")
		}
		return
	}
	for _, outOfBand := range []string{"false", "true"} {
		mode := map[string]string{"false": "in-band", "true": "out-of-band"}[outOfBand]
		options := map[string]string{"ENABLE_OOB": outOfBand}
		if !since(8) { // always out-of-band
			if outOfBand == "false" {
				continue
			}
			options = nil
		}
		c, err := connect("scott", "tiger", options)
		must(err)
		wrong := []string{}
		for n := 0; n < 25; n++ {
			// A time-out of a call is a context's, too.
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(5+2*n)*time.Millisecond)
			var count int
			err := c.QueryRowContext(ctx, burn).Scan(&count)
			cancel()
			got := rows(c, "select :1 from dual", n)
			if failure(err) != "ORA-01013" || !reflect.DeepEqual(got, [][]string{{fmt.Sprint(n)}}) {
				wrong = append(wrong, fmt.Sprint(n, " ", err, got))
			}
		}
		check("cancels "+mode, wrong, []string{})
		c.Close()
	}
}

func checkWays(_ *sql.Conn) {
	port, _ := strconv.Atoi(arguments[1])
	pool, err := sql.Open("oracle", goora.BuildUrl(arguments[0], port, arguments[2], "scott", "tiger", nil))
	must(err)
	pool.SetMaxOpenConns(3)
	wrong := make(chan string, 1000)
	var all sync.WaitGroup
	for k := 0; k < 6; k++ {
		all.Add(1)
		go func(k int) {
			defer all.Done()
			for n := 0; n < 20; n++ {
				var a int
				var b string
				err := pool.QueryRow("select :1, :2 from dual", k, fmt.Sprintf("v%d", n)).Scan(&a, &b)
				if err != nil || a != k || b != fmt.Sprintf("v%d", n) {
					wrong <- fmt.Sprint(k, n, err, a, b)
				}
			}
		}(k)
	}
	all.Wait()
	check("a pool", len(wrong), 0)
	_, err = pool.Exec("create table ways (n number)")
	must(err)
	for _, commits := range []bool{false, true} {
		tx, err := pool.Begin()
		must(err)
		_, err = tx.Exec("insert into ways values (:1)", 1)
		must(err)
		if commits {
			must(tx.Commit())
		} else {
			must(tx.Rollback())
		}
	}
	var count int
	must(pool.QueryRow("select count(*) from ways").Scan(&count))
	check("transactions", count, 1)
	_, err = pool.Exec("drop table ways")
	must(err)
	pool.Close()
}

func checkSession(c *sql.Conn) {
	must(c.PingContext(context.Background()))
	_, err := connect("scott", "x", nil)
	check("wrong password", failure(err), "ORA-01017")
	_, err = connect("scott", "tiger", map[string]string{"DBA PRIVILEGE": "SYSDBA"})
	check("SYSDBA", failure(err), "ORA-01031")
	if !since(5) {
		leftOut("a proxy user, of which it knows nothing")
	} else {
		_, err = connect("scott", "tiger", map[string]string{"PROXY CLIENT NAME": "hr"})
		check("proxy user", failure(err), "ORA-28150")
	}
	_, err = execute(c, "alter session set nosuchparam=1")
	check("unknown parameter", failure(err), "ORA-02248")
	check("the session lives", rows(c, "select 1 from dual"), [][]string{{"1"}})
}

func main() {
	c, err := connect("scott", "tiger", nil)
	must(err)
	all := map[string]func(*sql.Conn){
		"lengths": checkLengths, "batches": checkBatches, "types": checkTypes, "rowids": checkRowids, "described": checkDescribed,
		"fetches": checkFetches, "blocks": checkBlocks, "scrolling": checkScrolling, "session": checkSession,
		"lobs": checkLobs, "cursors": checkCursors, "returning": checkReturning,
		"cache": checkCache, "cancels": checkCancels, "ways": checkWays,
		"metadata": func(*sql.Conn) {}, // it has none of its own
	}
	for _, section := range arguments[5:] {
		json.NewEncoder(os.Stdout).Encode(map[string]string{"section": section})
		all[section](c)
	}
	c.Close()
}
