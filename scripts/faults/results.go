package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	own, others            = "own", "others" // stages: whose tests came last
	caught, survived, gone = "caught", "survived", "gone"
)

// row is what became of a fault.
type row struct {
	id, pkg, kind, where, change, stage, result string
	by                                          string // the package whose tests caught it
	tests                                       []string
	seconds                                     float64 // of processor time, for builds and tests until it was caught
	ran                                         int     // tests that were run
}

const rowHeading = "fault\tpackage\tkind\twhere\tchange\tstage\tresult\tby\ttests\tseconds\tran\n"

func (r row) write() string {
	return strings.Join([]string{
		r.id, r.pkg, r.kind, r.where, strconv.Quote(r.change), r.stage, r.result, r.by, strings.Join(r.tests, ","),
		fmt.Sprintf("%.1f", r.seconds), strconv.Itoa(r.ran),
	}, "\t") + "\n"
}

func readRows(name string) ([]row, error) {
	var rows []row
	err := readTable(name, rowHeading, func(c []string) error {
		r := row{id: c[0], pkg: c[1], kind: c[2], where: c[3], stage: c[5], result: c[6], by: c[7]}
		var errs [3]error
		r.change, errs[0] = strconv.Unquote(c[4])
		if c[8] != "" {
			r.tests = strings.Split(c[8], ",")
		}
		r.seconds, errs[1] = strconv.ParseFloat(c[9], 64)
		r.ran, errs[2] = strconv.Atoi(c[10])
		rows = append(rows, r)
		return cmp.Or(errs[:]...)
	})
	return rows, err
}

// latest is the last row of each fault.
func latest(rows []row) map[string]row {
	last := map[string]row{}
	for _, r := range rows {
		last[r.id] = r
	}
	return last
}

func show(what func(io.Writer, []row, string) error, name string) error {
	rows, err := readRows(name)
	if err != nil {
		return err
	}
	return what(os.Stdout, rows, name)
}

// summary writes the share of faults caught, package by package, and what survives.
func summary(w io.Writer, rows []row, _ string) error {
	type sum struct {
		all, own, others int
		seconds          []float64
	}
	sums, all := map[string]*sum{}, &sum{}
	var left []row
	for _, r := range latest(rows) {
		if sums[r.pkg] == nil {
			sums[r.pkg] = &sum{}
		}
		for _, s := range []*sum{sums[r.pkg], all} {
			switch {
			case r.result != caught && r.result != survived:
				continue
			case r.result == caught && r.stage == own:
				s.own++
			case r.result == caught:
				s.others++
			}
			if s.all++; r.result == caught {
				s.seconds = append(s.seconds, r.seconds)
			}
		}
		if r.result != caught {
			left = append(left, r)
		}
	}
	fmt.Fprint(w, "| package | faults | caught by its own tests | by others | share caught | median processor seconds |\n| :--- | ---: | ---: | ---: | ---: | ---: |\n")
	line := func(name string, s *sum) {
		median := "—"
		if slices.Sort(s.seconds); len(s.seconds) > 0 {
			median = fmt.Sprintf("%.1f", s.seconds[len(s.seconds)/2])
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.0f %% | %s |\n", name, s.all, s.own, s.others, 100*float64(s.own+s.others)/float64(max(s.all, 1)), median)
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		line("`"+name+"`", sums[name])
	}
	line("all", all)
	slices.SortFunc(left, func(a, b row) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.where, b.where)) })
	fmt.Fprintln(w, "\nNot caught:")
	fmt.Fprintln(w)
	for _, r := range left {
		note := ""
		switch {
		case r.result != survived:
			note = ": " + r.result
		case r.ran == 0:
			note = ": nothing that was run executes it"
		}
		fmt.Fprintf(w, "- %s %s/%s, %s: `%s`%s\n", r.id, r.pkg, r.where, r.kind, strings.Join(strings.Fields(r.change), " "), note)
	}
	return nil
}

// testTable writes for each test how many faults it caught and how many it executes. Where the first failure ends a run,
// the tests behind it got no chance.
func testTable(w io.Writer, rows []row, name string) error {
	tests, _, err := readTests(name + ".tests")
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, r := range rows {
		for _, test := range r.tests {
			count[r.by+"\t"+test]++
		}
	}
	fmt.Fprint(w, "package\ttest\tseconds\tcaught\texecutes\n")
	for _, t := range tests {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%d\t%d\n", t.pkg, t.name, t.seconds, count[t.pkg+"\t"+t.name], len(t.executes))
	}
	return nil
}

// compare writes which faults were caught before and are not any more. A fault whose line is gone is not lost.
func compare(w io.Writer, before, after string) error {
	var last [2]map[string]row
	for i, name := range []string{before, after} {
		rows, err := readRows(name)
		if err != nil {
			return err
		}
		last[i] = latest(rows)
	}
	number, lost, removed, found := 0, 0, 0, 0
	for _, id := range slices.Sorted(maps.Keys(last[0])) {
		was, is := last[0][id], last[1][id]
		number++
		switch {
		case was.result == caught && is.result != caught && is.result != survived && is.result != "":
			removed++
			fmt.Fprintf(w, "cannot be planted: %s %s/%s: %s\n", id, was.pkg, was.where, is.result)
		case was.result == caught && is.result != caught:
			lost++
			fmt.Fprintf(w, "lost: %s %s/%s, %s: %s; %s caught it; now %s\n", id, was.pkg, was.where, was.kind,
				strings.Join(strings.Fields(was.change), " "), was.by+" "+strings.Join(was.tests, ","), cmp.Or(is.result, "not planted"))
		case was.result != caught && is.result == caught:
			found++
		}
	}
	fmt.Fprintf(w, "%d faults: %d lost, %d cannot be planted any more, %d caught that were not\n", number, lost, removed, found)
	if lost > 0 {
		return errLost
	}
	return nil
}

// errLost is the answer no.
var errLost = errors.New("faults are lost")

// testRow is a test, and which faults it executes.
type testRow struct {
	pkg, name string
	seconds   float64
	broken    bool // it fails without a fault
	executes  []string
}

const testHeading = "package\ttest\tseconds\tresult\texecutes\n"

// done stands for a test behind the last one of a package.
const done = "-"

func (t testRow) write() string {
	result := "ok"
	if t.broken {
		result = "fails"
	}
	return fmt.Sprintf("%s\t%s\t%.2f\t%s\t%s\n", t.pkg, t.name, t.seconds, result, strings.Join(t.executes, ","))
}

// readTests returns the tests that were measured, and the packages of which all were.
func readTests(name string) (tests []testRow, measured []string, err error) {
	err = readTable(name, testHeading, func(c []string) error {
		if c[1] == done {
			measured = append(measured, c[0])
			return nil
		}
		seconds, err := strconv.ParseFloat(c[2], 64)
		t := testRow{pkg: c[0], name: c[1], seconds: seconds, broken: c[3] != "ok"}
		if c[4] != "" {
			t.executes = strings.Split(c[4], ",")
		}
		same := func(l testRow) bool { return l.pkg == t.pkg && l.name == t.name }
		tests = append(slices.DeleteFunc(tests, same), t)
		return err
	})
	return tests, measured, err
}

// readTable calls row with the columns of each line of a file.
func readTable(name, heading string, row func([]string) error) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	columns := strings.Count(heading, "\t") + 1
	body, ok := strings.CutPrefix(string(text), heading)
	if !ok {
		return fmt.Errorf("%s does not begin with the heading of such a table; give another name, or delete it", name)
	}
	for i, line := range strings.Split(body, "\n") {
		if line == "" {
			continue
		}
		c := strings.Split(line, "\t")
		err := fmt.Errorf("%d columns, not %d", len(c), columns)
		if len(c) == columns {
			err = row(c)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w; delete the line", name, i+2, err)
		}
	}
	return nil
}

// appendTo adds a line to a table, which gets its heading first.
func appendTo(name, heading, line string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		line = heading + line
	}
	_, err = file.WriteString(line)
	return err
}
