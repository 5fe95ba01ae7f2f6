package diagnosis

import (
	"fmt"
	"strings"

	"laggard/model"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// maxExceptions bounds how many exceptions the text form has, and maxReasons those of them
// in the reason.
const (
	maxExceptions = 4
	maxReasons    = 2
)

// raisedStates are those of an exception, in the JSON form.
var raisedStates = map[model.RaisedHow]string{
	model.RaisedSet: "raised", model.RaisedHandled: "handled", model.RaisedLast: "uncaught",
	model.RaisedThrown: "thrown", model.RaisedFatal: "fatal", model.RaisedThread: "ended_thread", model.RaisedFuture: "in_future",
}

func (s Source) exceptions() []Exception {
	var out []Exception
	for _, x := range s.Raised {
		if x.Habit {
			continue
		}
		thrown, name := x.How == model.RaisedThrown, x.Type
		python := !thrown && x.How != model.RaisedFatal
		if thrown {
			name = symbol.TypeName(name)
		}
		stack := s.Resolver.ResolveStack(x.Frames, python)
		out = append(out, Exception{
			Ranks: x.Ranks.String(), Type: words.Printable(name), Text: words.Printable(x.Text), State: raisedStates[x.How],
			Ended: x.Ended, Elsewhere: x.Elsewhere, Site: report.NewSite(stack), Stack: report.Frames(stack),
		})
	}
	return out
}

// String says what the exception is, where it was raised, and what becomes of it.
func (x *Exception) String() string {
	text, verb, end := x.name(), "raised", ","
	switch x.State {
	case raisedStates[model.RaisedFatal]:
		return text + x.InParentheses()
	case raisedStates[model.RaisedThrown]:
		verb, end = "thrown", ""
	}
	if len(x.Stack) > 0 {
		text += ", " + verb + " in " + framePlace(x.Stack[:1])
		if x.File != "" && (x.File != x.Stack[0].File || x.Line != x.Stack[0].Line) {
			text += ", called from " + x.Site.String()
		}
		text += end
	}
	switch x.State {
	case raisedStates[model.RaisedThrown]:
		switch {
		case x.Ended:
			text += ", in a thread that has ended"
		case x.Elsewhere:
			text += ", in a thread that does not call MPI"
		}
		return text
	case raisedStates[model.RaisedSet]:
		return text + " is on its way"
	case raisedStates[model.RaisedLast]:
		return text + " was not caught"
	case raisedStates[model.RaisedThread]:
		return text + " was not caught and ended its thread"
	case raisedStates[model.RaisedFuture]:
		return text + " was put into a future"
	}
	text += " is being handled or passed on"
	if n := len(x.Stack); n > 1 {
		text += " by " + framePlace(x.Stack[n-1:])
	}
	return text
}

// name is its type, and what it says as far as that is known.
func (x *Exception) name() string {
	if x.Text == "" {
		return x.Type
	}
	if strings.HasPrefix(x.Text, x.Type+":") { // what() of some begins with it
		return x.Text
	}
	return x.Type + ": " + x.Text
}

// exceptionLines are those of all ranks.
func exceptionLines(r *Result) []string {
	var out []string
	for i := range r.Exceptions {
		x := &r.Exceptions[i]
		out = append(out, fmt.Sprintf("%s: %s", words.Ranks(x.Ranks), x.String()))
	}
	return out
}

func (p *printer) exceptions(r *Result) {
	lines := exceptionLines(r)
	if len(lines) > 0 {
		p.Line("")
	}
	p.List(len(lines), maxExceptions, "exceptions", func(i int) { p.Line("  %s", words.Cut(lines[i])) })
}

// exceptionReason says for the reason which exceptions the named ranks are in the midst of. What all
// ranks have tells nothing.
func (r *Result) exceptionReason() string {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	var parts []string
	for i := range r.Exceptions {
		x := &r.Exceptions[i]
		ranks, err := model.ParseRankSet(x.Ranks)
		if some := ranks.Intersect(named); err == nil && some.Len() > 0 && ranks.Len() < r.Ranks {
			parts = append(parts, fmt.Sprintf("; %s: %s", some.Phrase(), x.String()))
		}
	}
	return strings.Join(parts[:min(len(parts), maxReasons)], "")
}
