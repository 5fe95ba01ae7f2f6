package top

import (
	"cmp"
	"fmt"
	"slices"
)

// Order is what the table of ranks is sorted by.
type Order string

// The orders. Slowest puts ranks first that a slowdown lies at, then those that compute longer than before, then those
// that compute while others wait.
const (
	BySlowest   Order = "slowest"
	ByRank      Order = "rank"
	ByRate      Order = "rate"
	ByComputing Order = "computing"
	ByWaiting   Order = "waiting"
	ByIO        Order = "io"
	ByStarved   Order = "starved"
)

// Orders are all orders, as the key s goes through them.
var Orders = []Order{BySlowest, ByRank, ByRate, ByComputing, ByWaiting, ByIO, ByStarved}

// sorted returns the ranks in an order, those that are equal by rank.
func (s *Snapshot) sorted(by Order) []*Speed {
	out := make([]*Speed, len(s.Speeds))
	for i := range s.Speeds {
		out[i] = &s.Speeds[i]
	}
	descending := func(value func(*Speed) float64) {
		slices.SortStableFunc(out, func(a, b *Speed) int { return cmp.Compare(value(b), value(a)) })
	}
	switch by {
	case BySlowest:
		slices.SortStableFunc(out, func(a, b *Speed) int {
			return cmp.Or(cmp.Compare(rankOf(b.Named), rankOf(a.Named)), cmp.Compare(rankOf(a.Doing == Absent), rankOf(b.Doing == Absent)),
				cmp.Compare(b.longer(), a.longer()), cmp.Compare(b.Now.Computing+b.Now.IO, a.Now.Computing+a.Now.IO))
		})
	case ByRate:
		descending(func(k *Speed) float64 { return -k.Rate.Now })
	case ByComputing:
		descending(func(k *Speed) float64 { return k.Now.Computing })
	case ByWaiting:
		descending(func(k *Speed) float64 { return k.Now.Waiting })
	case ByIO:
		descending(func(k *Speed) float64 { return k.Now.IO })
	case ByStarved:
		descending(func(k *Speed) float64 { return k.Now.Starved })
	}
	return out
}

// longer is how much longer a rank computes than before, as far as that is no noise.
func (k *Speed) longer() float64 {
	if k.ComputingRatio < 1.2 {
		return 1
	}
	return k.ComputingRatio
}

// rankOf orders false before true.
func rankOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// column is one of the table.
type column struct {
	name  string
	width int
	left  bool
	text  func(*Speed) string
}

// columns are those of the table; on a wide screen host and place get more room.
func columns(width int) []column {
	host := 8
	if width >= 120 {
		host = 20
	}
	share := func(of func(*Speed) float64) func(*Speed) string {
		return func(k *Speed) string {
			if !k.Now.areKnown() {
				return "-"
			}
			return percent(of(k))
		}
	}
	all := []column{
		{" RANK", 7, false, func(k *Speed) string { return markOf(k) + fmt.Sprint(k.Rank) }},
		{"HOST", host, true, func(k *Speed) string { return k.Host }},
		{"ITER/S", 6, false, func(k *Speed) string { return rate(k.Rate.Now) }},
		{"COMP×", 5, false, func(k *Speed) string { return ratio(k.ComputingRatio) }},
		{"COMP", 4, false, share(func(k *Speed) float64 { return k.Now.Computing })},
		{"WAIT", 4, false, share(func(k *Speed) float64 { return k.Now.Waiting })},
		{"I/O", 4, false, share(func(k *Speed) float64 { return k.Now.IO })},
	}
	if width >= 120 {
		all = append(all, column{"NOCPU", 5, false, share(func(k *Speed) float64 { return k.Now.Starved })})
	}
	all = append(all, column{"FOR", 6, false, (*Speed).waitsFor}, column{"PLACE", 0, true, func(k *Speed) string { return k.Place.text() }})
	rest := width
	for _, c := range all {
		rest -= c.width + 1
	}
	all[len(all)-1].width = max(rest, 10)
	return all
}

// markOf marks the ranks that a slowdown lies at, also without colour.
func markOf(k *Speed) string {
	if k.Named {
		return "!"
	}
	return ""
}

// ratio writes how many times as long something takes.
func ratio(r float64) string {
	if r <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r)
}

func (k *Speed) waitsFor() string {
	if k.WaitsFor < 0 {
		return "-"
	}
	return fmt.Sprint(k.WaitsFor)
}

// tableLines are a head and as many ranks as fit: the page with the selected one, or the first.
func (s *Snapshot) tableLines(v View, rows int) []Line {
	if rows < 2 || len(s.Speeds) == 0 {
		return nil
	}
	cols := columns(v.Width)
	out := []Line{plain(fit(joinColumns(cols, func(c column) string { return c.name }), v.Width), Title)}
	speeds := s.sorted(v.Order)
	first := 0
	if i := slices.IndexFunc(speeds, func(k *Speed) bool { return k.Rank == v.Selected }); i >= 0 {
		first = i - i%(rows-1)
	}
	for _, k := range speeds[first:min(first+rows-1, len(speeds))] {
		style := Plain
		switch {
		case k.Rank == v.Selected:
			style = Chosen
		case k.Named:
			style = Alarm
		}
		out = append(out, plain(fit(joinColumns(cols, func(c column) string { return c.text(k) }), v.Width), style))
	}
	return out
}

func joinColumns(cols []column, text func(column) string) string {
	line := ""
	for i, c := range cols {
		if i > 0 {
			line += " "
		}
		if c.left {
			line += fit(text(c), c.width)
		} else {
			line += fitRight(text(c), c.width)
		}
	}
	return line
}
