package compare

import (
	"fmt"
	"math"
	"strconv"

	"laggard/analysis/compare"
	"laggard/report/words"
)

// sentenceOf says what differs. stillIn: the bad run had not left the loop.
func sentenceOf(d Difference, stillIn bool) string {
	s := sentence{d, words.Ranks(d.Ranks), d.At.String() + d.otherSide()}
	switch compare.Kind(d.Kind) {
	case compare.NewPlace:
		return fmt.Sprintf("%s%s, %s; no like rank of GOOD does%s", s.does("call"), s.after(), times(d.BadCount), s.instead())
	case compare.MissingPlace:
		return fmt.Sprintf("%s%s; GOOD: %s", s.does("never call"), s.after(), times(d.GoodCount))
	case compare.SkippedPlace:
		return fmt.Sprintf("%s, %s; GOOD never does", s.skips(), times(d.BadCount))
	case compare.OtherOrder:
		return fmt.Sprintf("%s%s, %s; GOOD never does%s", s.does("call"), s.after(), times(d.BadCount), s.usual())
	case compare.Iterations:
		return s.iterations(stillIn)
	case compare.BranchCount:
		return fmt.Sprintf("%s%s, %s; GOOD: %s", s.does("call"), s.after(), times(d.BadCount), times(d.GoodCount))
	case compare.ReturnedError:
		return fmt.Sprintf("%s: %s returned an error%s, %s%s; GOOD never", s.ranks, s.at, inBrackets(d.BadValue), times(d.BadCount),
			s.then())
	case compare.NewMessage:
		return fmt.Sprintf("%s: %s %s, %s; GOOD never%s", s.ranks, s.message(), d.BadValue, times(d.BadCount), inBrackets(d.GoodValue))
	case compare.MissingSend:
		return fmt.Sprintf("%s: %s: %s; GOOD: %s", s.ranks, s.at, d.missing(), number(d.GoodCount))
	}
	return fmt.Sprintf("%s: %s: %s %s; GOOD: %s", s.ranks, s.at, valueNames[compare.Kind(d.Kind)], d.BadValue, d.GoodValue)
}

// valueNames say what the values are that differ.
var valueNames = map[compare.Kind]string{
	compare.OtherComm: "communicator", compare.OtherRoot: "with", compare.OtherOp: "operation", compare.OtherSize: "with",
}

// sentence is a difference, with its ranks and its place in words.
type sentence struct {
	Difference
	ranks, at string
}

// does says that the ranks do something at the place, and how many more calls are alike.
func (s sentence) does(verb string) string {
	return fmt.Sprintf("%s %s %s", s.ranks, words.Verb(s.Ranks, verb+"s", verb), s.calls())
}

// calls are the place, and how many more calls are alike.
func (s sentence) calls() string {
	if n := len(s.More); n > 0 {
		return s.at + " and " + words.Count(n, "more call", "more calls")
	}
	return s.at
}

// skips says between which calls the others are left out: elsewhere GOOD may do so.
func (s sentence) skips() string {
	return fmt.Sprintf("%s %s from %s to %s without %s", s.ranks, words.Verb(s.Ranks, "goes", "go"), s.After, s.Next, s.calls())
}

func (s sentence) after() string {
	if s.After == nil {
		return ""
	}
	return " after " + s.After.String()
}

func (s sentence) instead() string {
	if s.Next == nil {
		return ""
	}
	return ", and GOOD calls " + s.Next.String()
}

// then is the call that followed.
func (s sentence) then() string {
	if s.Next == nil {
		return ""
	}
	return ", then " + s.Next.String()
}

// usual is what GOOD does most often in that place.
func (s sentence) usual() string {
	if s.Next == nil {
		return ""
	}
	return ", it mostly calls " + s.Next.String()
}

// message names the call that exchanges a message, if it is known.
func (s sentence) message() string {
	if s.at == "" {
		return "a message"
	}
	return s.at + ": a message"
}

// missing says how many messages there were, of those that are missing.
func (d *Difference) missing() string {
	if d.BadCount == 0 {
		return "no message " + d.BadValue
	}
	return words.Count(int(d.BadCount), "message ", "messages ") + d.BadValue
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func (s sentence) iterations(stillIn bool) string {
	text := fmt.Sprintf("%s %s round the loop at %s %s", s.ranks, words.Verb(s.Ranks, "goes", "go"), s.at, times(s.BadCount))
	if stillIn {
		text += ", and had not left it"
	}
	return fmt.Sprintf("%s; GOOD: %s", text, times(s.GoodCount))
}

func times(n float64) string {
	if n == 1 {
		return "once"
	}
	return number(n) + " times"
}

// number has at most one digit behind the point.
func number(n float64) string { return strconv.FormatFloat(math.Round(10*n)/10, 'f', -1, 64) }

// String names the call and where it is: in the bad run, or else in the good ones.
func (p Place) String() string {
	switch {
	case p.Call == "":
		return ""
	case p.Bad != nil:
		return fmt.Sprintf("%s in %s", p.Call, *p.Bad)
	case p.Good != nil:
		return fmt.Sprintf("%s in %s", p.Call, *p.Good)
	}
	return p.Call
}

// otherSide says where the place is in the good runs, if its line has moved.
func (d *Difference) otherSide() string {
	if d.At.Good == nil || d.At.Bad == nil || *d.At.Good == *d.At.Bad {
		return ""
	}
	return fmt.Sprintf(" [GOOD: %s]", d.At.Good)
}
