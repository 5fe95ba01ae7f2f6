package schema

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

const small = `# a comment
const MANY 3  entries
enum how  in which way
  HOW_NONE 0
  HOW_WELL 1  as it should be
struct point  Where it is.
  i32 x  to the right
  i32 -y
struct rec  What every record begins with.
  u32 size
  u32 -
record thing 7 THING  A thing.
fixed
  u32? index
  u16 -name_len
  u16 -
behind
  char[name_len] name
live
  ns       seen
  u32:how  how
  u32      -
  added
  point    here
  point[MANY...] there
`

func TestOffsets(t *testing.T) {
	table := musttest.Get(Parse(small))(t)
	thing := table.Struct("thing")
	offsets := map[string]int{}
	for _, f := range thing.Live.Flat {
		offsets[f.Name] = f.Offset
	}
	for name, want := range map[string]int{"seen": 0, "how": 8, "here": 16, "there": 24} {
		checktest.Equal(t, want, offsets[name], name, "is at")
	}
	if fixed, live := table.Records[7].Fixed.Shown, table.Records[7].Live.Shown; !slices.Contains(fixed, Shown{"index", 0, Int32}) ||
		!slices.Contains(live, Shown{"here_x", 16, Int32}) {
		t.Errorf("shown is %v and %v", fixed, live)
	}
	if thing.Fixed.Size != 8 || thing.Live.Size != 48 || thing.Live.leastSize() != 16 {
		t.Errorf("%d fixed bytes, %d live, at least %d", thing.Fixed.Size, thing.Live.Size, thing.Live.leastSize())
	}
}

// TestGenerated: what is made of the small table, a line for each thing it can say.
func TestGenerated(t *testing.T) {
	table := musttest.Get(Parse(small))(t)
	var header, golang bytes.Buffer
	table.WriteHeader(&header)
	table.WriteGo(&golang)
	page := musttest.Get(table.UpdatePage("<!-- table: thing -->\n<!-- end of table -->\n<!-- table: point -->\n<!-- end of table -->\n" +
		"<!-- table: rec -->\n<!-- end of table -->\n"))(t)
	for _, c := range map[string]struct {
		text  string
		lines []string
	}{
		"header": {header.String(), []string{
			"#define LG_MANY 3 /* entries */", "  LG_HOW_WELL = 1, /* as it should be */", "  uint32_t index;",
			"  uint16_t pad1;", "  uint32_t live_pad1;",
			"  /* then char name[name_len] */", "  uint64_t seen_ns;", "  uint32_t how; /* enum lg_how */",
			"  struct lg_point there[LG_MANY];", "_Static_assert(sizeof(struct lg_thing_live) == 48,",
		}},
		"Go": {golang.String(), []string{
			"ThingNameLen", "SizeofThingLive", "ThingRecord Record = 7", "leastFixed: 8, leastLive: 16",
		}},
		"page": {page, []string{
			"| fixed, at | field | type | |", "| 8 | name | name_len × byte | |", "| 0 | seen | ns | |",
			"| 8 | how | u32 | 0 HOW_NONE, 1 HOW_WELL (as it should be) |", "| 24 | there | as many point as fit | |",
		}},
	} {
		checktest.Contains(t, c.text, c.lines...)
	}
}

func TestErrors(t *testing.T) {
	const begin = "struct rec\n  u32 x\n"
	for text, want := range map[string]string{
		"thing x":                             "begins nothing",
		"  u32 x":                             "outside of a structure",
		"fixed":                               "only records have parts",
		"const X y":                           "no number and no text",
		"const x 1":                           "is no name",
		"enum e\n  A b":                       "value A",
		"record r 0 R":                        "a number from 1",
		"record r 1 R\n  u32 x":               "outside of a structure",
		"struct s\n  u33 x":                   "not defined above",
		"struct s\n  u32:e x":                 "not defined above",
		"struct s\n  u32 X":                   "is no name",
		"struct s\n  u32[N] x":                "no constant and no number",
		"struct s\n  u16 x\n  u32 y":          "not a multiple of 4",
		"struct s\n  u64 x\n  u32 y":          "not a multiple of 8",
		"struct s\n  u32[2...] x\n  u32 y":    "only the last field",
		begin + "record r 1 R\nlive\n  u32 x": "not a multiple of 8",
		"struct s\n  u32 x\n  u32 x":          "two things are called SX",
		begin + "record r 1 R\nrecord q 1 Q":  "two things are called record 1",
		"const A_B 1\nenum e\n  AB 1\nenum f\n  A_B 2": "two things are called AB",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestPageErrors(t *testing.T) {
	table := musttest.Get(Parse(small))(t)
	for text, want := range map[string]string{
		"": "has no place",
		"<!-- table: nothing -->\n<!-- end of table -->": "no table",
	} {
		if _, err := table.UpdatePage(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
