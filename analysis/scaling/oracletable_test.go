package scaling

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"laggard/analysis/scaling/kcca/kccatest"
	"laggard/analysis/scaling/recorded"
	"laggard/internal/musttest"
)

// oracleTable makes a table of a file, with the stacks of sites if there are any.
func oracleTable(t testing.TB, name string, stacks []recorded.Site) *recorded.Table {
	t.Helper()
	_, rows := kccatest.Read(t, filepath.Join("kcca", "testdata", name))
	table := &recorded.Table{}
	for _, row := range rows {
		x, y := row[:3], row[3:]
		o := recorded.Observation{
			Run: fmt.Sprintf("%s-%g", name, x[1]), Rank: int(x[0]), Ranks: int(x[1]),
			Controls: map[string]float64{"arg": x[2]}, Volume: map[int]float64{},
		}
		for s, bytes := range y {
			site := recorded.Site{Frames: []recorded.Frame{{Function: fmt.Sprint("s", s)}}}
			if stacks != nil {
				site = stacks[s]
			}
			o.Volume[table.Site(site)] = bytes
		}
		table.Rows = append(table.Rows, o)
	}
	return table
}

// oracleStacks reads "s0 <tab> module!function@offset;…", innermost first.
func oracleStacks(t testing.TB) []recorded.Site {
	t.Helper()
	file := musttest.Get(os.Open("kcca/testdata/real_lib_sites.tsv"))(t)
	defer file.Close()
	var sites []recorded.Site
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		_, stack, _ := strings.Cut(lines.Text(), "\t")
		var site recorded.Site
		for text := range strings.SplitSeq(stack, ";") {
			module, rest, _ := strings.Cut(text, "!")
			function, at, _ := strings.Cut(rest, "@")
			offset := musttest.Get(strconv.ParseUint(at, 16, 64))(t, text)
			site.Frames = append(site.Frames, recorded.Frame{Module: module, Function: function, Offset: offset})
		}
		sites = append(sites, site)
	}
	return sites
}
