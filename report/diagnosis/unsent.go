package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/slice"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/source"
	"laggard/report/words"
)

// Unsent is a message that a rank waits for and that was not sent, or in whose receive MPI reported an error.
type Unsent struct {
	Rank         int    `json:"rank"`         // the rank that waits
	From         int    `json:"from"`         // the rank that should send it
	Tag          int    `json:"tag"`          // its tag
	Communicator string `json:"communicator"` // its communicator, in words
	Number       uint64 `json:"number"`       // which of the messages from that rank with that tag, from 1
	Sent         uint64 `json:"sent"`         // how many of them were sent
	// MPI reported an error in the receive of the message, which was sent
	Failed bool `json:"failed,omitempty"`
	// the call that sends such messages; absent: unknown
	SentBy  *MadeCall `json:"sent_by,omitempty"`
	Callers string    `json:"callers,omitempty"` // the ranks that send such messages by that call
	Never   bool      `json:"never"`             // the rank that should send it never made that call
	At      *MadeCall `json:"at,omitempty"`      // the call that the sender is in, or made last; absent: unknown
	InMPI   bool      `json:"in_mpi"`            // it is in that call
	// the sender comes to the call only behind the one that it is in, as the code shows
	Behind bool `json:"behind,omitempty"`
	// messages of the sender that lie unreceived, one of which may be the one that is awaited
	Unreceived []Unreceived `json:"unreceived,omitempty"`
	// the branch that decides whether the call is made; if never is true, by which the sender passed it; absent: unknown
	Branch *Branch `json:"branch,omitempty"`
}

// Unreceived is messages that lie unreceived.
type Unreceived struct {
	To           int       `json:"to"`                // the rank that they were sent to
	Tag          int       `json:"tag"`               // their tag
	Communicator string    `json:"communicator"`      // their communicator, in words
	Count        uint64    `json:"count"`             // how many
	SentBy       *MadeCall `json:"sent_by,omitempty"` // the call that sends them; absent: unknown
}

// MadeCall is a call of an MPI function.
type MadeCall struct {
	MPI string `json:"mpi"` // the MPI function
	report.Site
	Stack []report.Frame `json:"stack"` // its call stack, innermost frame first
}

func (s Source) newUnsent(m progress.Unsent, names wording.Names) Unsent {
	out := Unsent{
		Rank: m.Rank, From: m.Peer, Tag: m.Tag, Communicator: names.Comm(m.On), Number: m.Number, Sent: m.Sent,
		Failed: m.Failed, SentBy: s.newMadeCall(m.By), Callers: m.Callers.String(), Never: m.Never,
		At: s.newMadeCall(m.At), InMPI: m.InMPI,
	}
	for i, other := range m.Others {
		out.Unreceived = append(out.Unreceived, Unreceived{
			To: other.To, Tag: other.Tag, Communicator: names.Comm(m.OthersOn[i]), Count: other.Count,
			SentBy: s.newMadeCall(other.By),
		})
	}
	return out
}

func (s Source) newMadeCall(state *model.State) *MadeCall {
	if state == nil {
		return nil
	}
	stack := s.Resolver.ResolveProgramStack(state.Stack, false)
	return &MadeCall{MPI: words.Printable(state.Call), Site: report.NewSite(stack), Stack: report.Frames(stack)}
}

// AddSkips adds what the code says of messages that were not sent.
func AddSkips(r *Result, s Source, skips []slice.Skip, finder source.Finder) {
	for _, skip := range skips {
		m := &r.Unsent[skip.Message]
		m.Behind = skip.Behind
		if skip.Branch != nil {
			m.Branch = branchAt(s.branchSites(skip.Branch), finder)
		}
	}
}

// text names the call and its place.
func (c *MadeCall) text() string {
	if c.Function == "" {
		return c.MPI
	}
	return c.MPI + " in " + c.Site.String()
}

// unsentLines say where messages would have come from that ranks wait for.
func unsentLines(r *Result) []string {
	var lines []string
	for i := range r.Unsent {
		lines = append(lines, r.Unsent[i].text())
	}
	return lines
}

func (m *Unsent) text() string {
	which := fmt.Sprintf("message %d from rank %d with tag %d on %s", m.Number, m.From, m.Tag, m.Communicator)
	if m.Failed {
		return fmt.Sprintf("Rank %d was receiving %s: rank %d sent it with %s.", m.Rank, which, m.From, m.SentBy.text())
	}
	parts := []string{fmt.Sprintf("Rank %d waits for %s, which was not sent", m.Rank, which)}
	at := ""
	switch {
	case m.At == nil:
	case m.InMPI:
		at = ", and is in " + m.At.text()
	default:
		at = ", and called " + m.At.text() + " last"
	}
	switch {
	case m.SentBy == nil:
	case m.Sent == 0 && m.Callers == strconv.Itoa(m.From):
		parts = append(parts, fmt.Sprintf("Rank %d sends such messages to other ranks with %s%s", m.From, m.SentBy.text(), at))
	case m.Never:
		parts = append(parts, fmt.Sprintf("%s; rank %d never made that call%s", m.callersText(), m.From, at))
	case m.Sent == 0:
		parts = append(parts, fmt.Sprintf("%s; rank %d sent none to rank %d%s", m.callersText(), m.From, m.Rank, at))
	default:
		parts = append(parts, fmt.Sprintf("Rank %d sent %d with %s%s", m.From, m.Sent, m.SentBy.text(), at))
	}
	for _, o := range m.Unreceived {
		parts = append(parts, m.unreceivedText(o))
	}
	return strings.Join(parts, ". ") + "."
}

// callersText says which ranks send such messages, and how.
func (m *Unsent) callersText() string {
	return fmt.Sprintf("%s %s such messages with %s", words.Upper(words.Ranks(m.Callers)), words.Verb(m.Callers, "sends", "send"),
		m.SentBy.text())
}

// unreceivedText says which other messages of the sender lie unreceived.
func (m *Unsent) unreceivedText(o Unreceived) string {
	to := fmt.Sprintf("rank %d", o.To)
	if o.To == m.From {
		to = "itself"
	}
	text := fmt.Sprintf("%s from rank %d to %s with tag %d on %s %s unreceived", words.Count(int(o.Count), "message", "messages"),
		m.From, to, o.Tag, o.Communicator, chooseLie(o.Count))
	if o.SentBy != nil {
		text += ", sent with " + o.SentBy.text()
	}
	return text
}

func chooseLie(n uint64) string {
	if n == 1 {
		return "lies"
	}
	return "lie"
}

// skips writes what the code says of messages that were not sent.
func (p *printer) skips(r *Result) {
	for i := range r.Unsent {
		m := &r.Unsent[i]
		if !m.Behind && m.Branch == nil {
			continue
		}
		p.Line("")
		if m.Behind {
			p.Line("Rank %d comes to %s, for which rank %d waits, only after %s.", m.From, m.SentBy.text(), m.Rank, m.At.text())
			continue
		}
		if m.Never {
			p.Line("Rank %d skipped %s, for which rank %d waits:", m.From, m.SentBy.text(), m.Rank)
		} else {
			p.Line("Rank %d did not make %s once more, for which rank %d waits; whether it does is", m.From, m.SentBy.text(), m.Rank)
		}
		p.branch(m.Branch)
	}
}

// unsentReason says for the reason which message one of the named ranks owes, or which of its messages may be that one.
func (r *Result) unsentReason() string {
	m := r.owed()
	if r.LeastProgressed.Rule == progress.RuleLostProcess { // who died owes nothing any more
		return ""
	}
	if t := r.takenByNamed(); t != nil {
		return t.reason()
	}
	if m == nil {
		return ""
	}
	if o := m.nearest(); o != nil {
		return "; " + m.mismatchText(o, r.LeastProgressed.siteOf(m.Rank))
	}
	if t := r.takenInstead(m); t != nil {
		return t.reason()
	}
	if m.Sent > 0 && m.Number == m.Sent+1 { // perhaps another receive took the message that this one is for
		return fmt.Sprintf("; rank %d has sent rank %d only %s with tag %d, which earlier receives took",
			m.From, m.Rank, words.Count(int(m.Sent), "message", "messages"), m.Tag)
	}
	return fmt.Sprintf("; rank %d has not sent rank %d the message %d with tag %d", m.From, m.Rank, m.Number, m.Tag)
}

// owed is the first message that one of the named ranks has not sent and that another waits for; nil: there is none.
func (r *Result) owed() *Unsent {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	i := slices.IndexFunc(r.Unsent, func(m Unsent) bool { return !m.Failed && named.Contains(m.From) })
	if i < 0 {
		return nil
	}
	return &r.Unsent[i]
}

// MismatchedSend is where the named ranks send a message that differs from the one that is awaited in its tag or its communicator
// only; of no such message, it is the place of nothing.
func (r *Result) MismatchedSend() report.Site {
	m := r.owed()
	if m == nil {
		return report.Site{}
	}
	if o := m.nearest(); o != nil {
		return o.SentBy.site()
	}
	return report.Site{}
}

// nearest is the messages that differ from the one that is awaited in their tag or their communicator only; nil: there are none, or
// several kinds of them.
func (m *Unsent) nearest() *Unreceived {
	var found *Unreceived
	for i := range m.Unreceived {
		o := &m.Unreceived[i]
		if o.To != m.Rank || o.Tag != m.Tag && o.Communicator != m.Communicator {
			continue
		}
		if found != nil {
			return nil
		}
		found = o
	}
	return found
}

// mismatchText says which messages lie unreceived at a rank, and for which one it waits there.
func (m *Unsent) mismatchText(o *Unreceived, waits report.Site) string {
	what, verb := "a message", "is"
	if o.Count > 1 {
		what, verb = fmt.Sprintf("%d messages", o.Count), "are"
	}
	on, awaited := "", fmt.Sprintf("tag %d", m.Tag)
	if o.Tag == m.Tag {
		on, awaited = " on "+o.Communicator, "it on "+m.Communicator
	}
	return fmt.Sprintf("%s from rank %d with tag %d%s%s %s unreceived at rank %d, which waits for %s%s",
		what, m.From, o.Tag, on, o.SentBy.site().InParentheses(), verb, m.Rank, awaited, waits.InParentheses())
}

// site is the place of the call; of none, that of nothing.
func (c *MadeCall) site() report.Site {
	if c == nil {
		return report.Site{}
	}
	return c.Site
}

// siteOf is the place where a named rank is; of another rank, that of nothing.
func (l *LeastProgressed) siteOf(rank int) report.Site {
	for _, at := range l.Locations {
		if ranks, err := model.ParseRankSet(at.Ranks); err == nil && ranks.Contains(rank) {
			return at.Site
		}
	}
	return report.Site{}
}
