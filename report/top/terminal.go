package top

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"laggard/internal/bound"
)

// Terminal shows snapshots on the terminal until the user quits.
type Terminal struct {
	Order    Order
	Interval time.Duration // between two snapshots
	// Refresh reads the job. It is called by one goroutine at a time, as is Read.
	Refresh func() (*Snapshot, error)
	// Read reads the record of a rank.
	Read func(rank int) (*Detail, error)
}

// reading is what a refresh gave.
type reading struct {
	snapshot *Snapshot
	detail   *Detail
	err      error
}

// NewScreen opens the terminal. An error means that it cannot show a screen, such as one with TERM=dumb.
func NewScreen() (tcell.Screen, error) {
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	screen, err := tcell.NewScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return nil, fmt.Errorf("terminal: %w", err)
	}
	for i, level := range levels[1:] {
		screen.RegisterRuneFallback(level, fmt.Sprint(i+1))
	}
	screen.RegisterRuneFallback('×', "x")
	screen.RegisterRuneFallback('…', "~")
	return screen, nil
}

// Show draws first, and then what Refresh gives, on a screen until the user quits or ctx is done. It returns the error of a
// Refresh or Read, which ends it. Then the terminal is as before, and neither runs any more.
func (t *Terminal) Show(ctx context.Context, screen tcell.Screen, first *Snapshot) error {
	events, stop := make(chan tcell.Event, 16), make(chan struct{})
	defer close(stop)
	go screen.ChannelEvents(events, stop)
	wanted, readings, over := make(chan int), make(chan reading, 1), make(chan struct{})
	go func() { t.readWanted(wanted, readings); close(over) }()
	defer func() { screen.Fini(); close(wanted); <-over }()
	v := View{Order: t.Order, Selected: -1}
	now := reading{snapshot: first}
	busy := false
	ticks := time.NewTicker(t.Interval)
	defer ticks.Stop()
	for {
		v.Width, v.Height = screen.Size()
		paint(screen, now.snapshot.Draw(v, now.detail))
		ask := false
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-events:
			if !open || isQuit(event) {
				return nil
			}
			before := v
			v = handle(screen, event, v, now.snapshot)
			ask = v.Detail && (!before.Detail || v.Selected != before.Selected)
		case <-ticks.C:
			ask = !v.Paused
		case r := <-readings:
			busy = false
			if r.err != nil {
				return r.err
			}
			now = r
			ask = v.Detail && (r.detail == nil || r.detail.Rank != v.Selected)
		}
		if ask && !busy {
			rank := -1
			if v.Detail {
				rank = v.Selected
			}
			busy = true
			wanted <- rank
		}
	}
}

// readWanted reads the job each time that it is asked to, and the record of the rank that is wanted; -1: none.
func (t *Terminal) readWanted(wanted <-chan int, readings chan<- reading) {
	for rank := range wanted {
		var r reading
		r.err = bound.CatchPanic(func() (err error) { // hostile data
			r.snapshot, err = t.Refresh()
			if err == nil && rank >= 0 {
				r.detail, err = t.Read(rank)
			}
			return err
		})
		readings <- r
	}
}

func isQuit(event tcell.Event) bool {
	k, is := event.(*tcell.EventKey)
	return is && (k.Key() == tcell.KeyCtrlC || k.Key() == tcell.KeyRune && k.Rune() == 'q')
}

// keys are the special keys that mean something.
var keys = map[tcell.Key]Key{
	tcell.KeyUp: KeyUp, tcell.KeyDown: KeyDown, tcell.KeyPgUp: KeyPageUp, tcell.KeyPgDn: KeyPageDown, tcell.KeyHome: KeyFirst,
	tcell.KeyEnd: KeyLast, tcell.KeyEnter: KeyEnter, tcell.KeyEscape: KeyBack,
}

// handle returns the view after an event.
func handle(screen tcell.Screen, event tcell.Event, v View, s *Snapshot) View {
	switch e := event.(type) {
	case *tcell.EventResize:
		screen.Sync()
	case *tcell.EventKey:
		if e.Key() == tcell.KeyCtrlL {
			screen.Sync()
			return v
		}
		k, special := keys[e.Key()]
		if !special && e.Key() == tcell.KeyRune {
			k = Key(e.Rune())
		}
		if k == '?' {
			k = KeyHelp
		}
		return v.Press(k, s)
	}
	return v
}

// paint draws lines on a screen.
func paint(screen tcell.Screen, lines []Line) {
	colour := screen.Colors() >= 8 && os.Getenv("NO_COLOR") == ""
	screen.Clear()
	for y, line := range lines {
		x := 0
		for _, span := range line {
			screen.PutStrStyled(x, y, span.Text, styleOf(span.Style, colour))
			x += uniseg.StringWidth(span.Text)
		}
	}
	screen.Show()
}

// colours are those of cells.
var colours = map[Style]tcell.Color{
	Computes: tcell.ColorGreen, Waits: tcell.ColorOlive, DoesIO: tcell.ColorTeal, Starves: tcell.ColorPurple, Missing: tcell.ColorGray,
}

// styleOf is how a terminal shows a style. Without colour, cells are told apart by their letters.
func styleOf(style Style, colour bool) tcell.Style {
	base := tcell.StyleDefault
	switch style {
	case Title, Chosen:
		return base.Reverse(true)
	case Alarm:
		if colour {
			return base.Foreground(tcell.ColorRed).Bold(true)
		}
		return base.Bold(true)
	}
	if c, is := colours[style]; is && colour {
		return base.Foreground(tcell.ColorBlack).Background(c)
	}
	return base
}
