package wording

import (
	"cmp"
	"fmt"

	"laggard/report/words"
)

// Passed is a call that ranks went past, for which others wait. Calls are as CallAt names them.
type Passed struct {
	Ranks    string
	Call     string
	From, To string // the call before, and the one that they made instead, of which Further says whether there is one
	Further  bool
	Sends    bool // others wait for a message that the call sends, not in the call
}

// What says who went past which call.
func (p *Passed) What() string {
	why := "in which other ranks wait"
	if p.Sends {
		why = "which sends a message that another rank waits for"
	}
	return fmt.Sprintf("%s went past %s, %s", words.Upper(words.Ranks(p.Ranks)), p.Call, why)
}

// Instead says what they did instead.
func (p *Passed) Instead() string {
	next := "no further call"
	if p.Further {
		next = cmp.Or(p.To, "another call")
	}
	return fmt.Sprintf("after %s %s made %s", p.From, words.Verb(p.Ranks, "it", "they"), next)
}

// Decided says in a line who went past which call, and what line decided it.
func (p *Passed) Decided(line string) string { return fmt.Sprintf("%s; decided at %s", p.What(), line) }
