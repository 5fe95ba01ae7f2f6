package recorded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Observation is one row of a table: what one rank of one run was told, and
// what it sent.
type Observation struct {
	Run      string             `json:"run"` // any name; rows with the same name are of one run
	Rank     int                `json:"rank"`
	Ranks    int                `json:"ranks"`              // in the run
	Controls map[string]float64 `json:"controls,omitempty"` // further control features by name, such as arguments
	Volume   map[int]float64    `json:"volume,omitempty"`   // bytes by index into Table.Sites; absent is 0
}

// Table holds observations of any ranks of any runs. The zero Table is empty
// and the neutral element of Merge.
type Table struct {
	Sites []Site        `json:"sites"`
	Rows  []Observation `json:"rows"`
	index map[string]int
}

// Site gives the index of a site in Sites, and enters it if it is new.
func (t *Table) Site(s Site) int {
	if t.index == nil || len(t.index) != len(t.Sites) {
		t.index = make(map[string]int, len(t.Sites))
		for i, known := range t.Sites {
			t.index[known.Key()] = i
		}
	}
	key := s.Key()
	at, known := t.index[key]
	if !known {
		at = len(t.Sites)
		t.Sites = append(t.Sites, s)
		t.index[key] = at
	}
	return at
}

// Merge unites two tables. Sites come out in the order of their keys, rows in
// the order of run and rank; a row that both hold comes out once.
func Merge(a, b *Table) *Table {
	both := &Table{}
	both.addTable(a)
	both.addTable(b)
	return both.Canonical()
}

func (t *Table) addTable(other *Table) {
	to := make([]int, len(other.Sites))
	for i, site := range other.Sites {
		to[i] = t.Site(site)
		t.Sites[to[i]] = preferNamed(t.Sites[to[i]], site)
	}
	for _, row := range other.Rows {
		row.Volume = renumberVolume(row.Volume, to)
		t.Rows = append(t.Rows, row)
	}
}

// preferNamed chooses between two descriptions of the same site, one of which may
// know names of functions.
func preferNamed(a, b Site) Site {
	if fmt.Sprint(a) < fmt.Sprint(b) {
		return b
	}
	return a
}

// renumberVolume renumbers the sites of a row. Sites that fall together add up, in the
// order of their indices, so that rounding is the same each time.
func renumberVolume(volume map[int]float64, to []int) map[int]float64 {
	out := make(map[int]float64, len(volume))
	for _, from := range slices.Sorted(maps.Keys(volume)) {
		if volume[from] != 0 {
			out[to[from]] += volume[from]
		}
	}
	return out
}

// Canonical sorts sites and rows, and keeps equal rows once.
func (t *Table) Canonical() *Table {
	order := make([]int, len(t.Sites))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.Sites[a].Key(), t.Sites[b].Key()) })
	out := &Table{Sites: []Site{}, Rows: []Observation{}}
	to := make([]int, len(order))
	for _, from := range order {
		to[from] = out.Site(t.Sites[from])
		out.Sites[to[from]] = preferNamed(out.Sites[to[from]], t.Sites[from])
	}
	for _, row := range t.Rows {
		row.Volume = renumberVolume(row.Volume, to)
		out.Rows = append(out.Rows, row)
	}
	slices.SortFunc(out.Rows, compareRows)
	out.Rows = slices.CompactFunc(out.Rows, func(a, b Observation) bool { return compareRows(a, b) == 0 })
	return out
}

func compareRows(a, b Observation) int {
	if c := cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Rank, b.Rank)); c != 0 {
		return c
	}
	// Only rows of the same rank, which are equal or a contradiction, come here.
	first, _ := json.Marshal(a)
	second, _ := json.Marshal(b)
	return slices.Compare(first, second)
}

// Validate reports whether the table can be used: errors wrap ErrEmpty, ErrRow,
// ErrTwice or ErrControls, and name the row.
func (t *Table) Validate() error {
	if len(t.Rows) == 0 {
		return fmt.Errorf("scaling: %w", ErrEmpty)
	}
	seen := make(map[[2]any]bool, len(t.Rows))
	for _, row := range t.Rows {
		if err := row.validate(len(t.Sites)); err != nil {
			return row.wrapError(err)
		}
		if !sameNames(row.Controls, t.Rows[0].Controls) {
			return row.wrapError(ErrControls)
		}
		id := [2]any{row.Run, row.Rank}
		if seen[id] {
			return row.wrapError(ErrTwice)
		}
		seen[id] = true
	}
	return nil
}

func (o Observation) wrapError(err error) error {
	return fmt.Errorf("scaling: run %q: rank %d: %w", o.Run, o.Rank, err)
}

// Largest bounds every number of a table, so that squares of distances stay
// finite.
const Largest = 1e100

func (o Observation) validate(sites int) error {
	if o.Ranks < 1 || o.Rank < 0 || o.Rank >= o.Ranks {
		return fmt.Errorf("of %d ranks: %w", o.Ranks, ErrRow)
	}
	for name, value := range o.Controls {
		if name == "" || math.IsNaN(value) || math.Abs(value) > Largest {
			return fmt.Errorf("control %q is %v: %w", name, value, ErrRow)
		}
	}
	for site, bytes := range o.Volume {
		if site < 0 || site >= sites || math.IsNaN(bytes) || bytes < 0 || bytes > Largest {
			return fmt.Errorf("site %d: volume %v: %w", site, bytes, ErrRow)
		}
	}
	return nil
}

func sameNames(a, b map[string]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if _, known := b[name]; !known {
			return false
		}
	}
	return true
}
