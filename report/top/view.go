package top

import (
	"fmt"
	"slices"
	"strconv"
)

// View is what the user looks at.
type View struct {
	Width, Height int
	Order         Order
	Selected      int  // rank; -1 none
	Detail        bool // the selected rank is shown alone
	Help          bool
	Paused        bool // the snapshot is kept
	Typed         string
	NoKeys        bool // there is no terminal, so no line about keys
}

// Key is a key that means something, whatever sends it. A digit is its own.
type Key rune

// The keys.
const (
	KeyUp       Key = 'k'
	KeyDown     Key = 'j'
	KeyPageUp   Key = 'b'
	KeyPageDown Key = 'f'
	KeyFirst    Key = 'g'
	KeyLast     Key = 'G'
	KeyEnter    Key = '\n'
	KeyBack     Key = '\x1b'
	KeySort     Key = 's'
	KeyHelp     Key = 'h'
	KeyPause    Key = 'p'
)

// helpTexts explain the screen.
var helpTexts = []string{
	"arrows, j, k      select a rank          PgUp, PgDn, f, b   by pages",
	"g, G, Home, End   first, last            a number, Enter    this rank",
	"Enter             the rank's stack and history; Esc goes back",
	"s                 sort by slowest, rank, rate, computing, waiting, io, starved",
	"p                 pause                  q, Ctrl-C          quit",
	"",
	"ITER/S     iterations per second: visits of a call that comes once in each",
	"COMP×      time that it computes in an iteration, now over before",
	"COMP WAIT I/O   parts of the latest 10 s: outside MPI, inside MPI, in files",
	"NOCPU      part of the time in which it had no processor but would have run",
	"FOR        the rank that it waited for most lately",
	"Nothing is stopped or slowed down: top reads the files that the ranks write.",
}

// footLines tell the keys, or the number that is being typed.
func (v View) footLines() []Line {
	if v.NoKeys {
		return nil
	}
	text := fmt.Sprintf("q quit  arrows select  Enter rank  s sort: %s  p pause  h help", v.Order)
	switch {
	case v.Typed != "":
		text = "go to rank " + v.Typed + ", Enter"
	case v.Help:
		text = "any key goes back"
	case v.Detail:
		text = "Esc back  arrows other rank  q quit"
	}
	if v.Paused {
		text += "  PAUSED"
	}
	return []Line{plain(fit(text, v.Width), Title)}
}

// Press returns the view after a key.
func (v View) Press(k Key, s *Snapshot) View {
	switch {
	case v.Help:
		v.Help = false
		return v
	case k >= '0' && k <= '9':
		if len(v.Typed) < 9 {
			v.Typed += string(rune(k))
		}
		return v
	case v.Typed != "" && k == KeyEnter:
		if rank, err := strconv.Atoi(v.Typed); err == nil && s.speedOf(rank) != nil {
			v.Selected = rank
		}
		v.Typed = ""
		return v
	}
	typing := v.Typed != ""
	v.Typed = ""
	switch k {
	case KeyEnter:
		v.Detail = v.Selected >= 0
	case KeyBack:
		switch {
		case typing:
		case v.Detail:
			v.Detail = false
		default:
			v.Selected = -1
		}
	case KeySort:
		v.Order = Orders[(slices.Index(Orders, v.Order)+1)%len(Orders)]
	case KeyHelp:
		v.Help = true
	case KeyPause:
		v.Paused = !v.Paused
	default:
		v.Selected = v.move(k, s)
	}
	return v
}

// move returns the rank that is selected after a key that moves.
func (v View) move(k Key, s *Snapshot) int {
	speeds := s.sorted(v.Order)
	if len(speeds) == 0 {
		return v.Selected
	}
	at := slices.IndexFunc(speeds, func(k *Speed) bool { return k.Rank == v.Selected })
	page := max(1, v.Height/2)
	switch k {
	case KeyUp:
		at--
	case KeyDown:
		at++
	case KeyPageUp:
		at -= page
	case KeyPageDown:
		at += page
	case KeyFirst:
		at = 0
	case KeyLast:
		at = len(speeds) - 1
	default:
		return v.Selected
	}
	return speeds[max(0, min(at, len(speeds)-1))].Rank
}
