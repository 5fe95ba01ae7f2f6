package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/progress/unsent"
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
	Tag          int    `json:"tag"`          // its tag; -1: any
	Communicator string `json:"communicator"` // its communicator, in words
	Number       uint64 `json:"number"`       // which of the messages from that rank with that tag, from 1; 0: any_source
	Sent         uint64 `json:"sent"`         // how many of them were sent
	// MPI reported an error in the receive of the message, which was sent
	Failed bool `json:"failed,omitempty"`
	// the rank waits for a message from any rank, and one of this rank lies unreceived, with another tag or on another communicator
	AnySource bool `json:"any_source,omitempty"`
	// the call that sends such messages; absent: unknown
	SentBy  *MadeCall `json:"sent_by,omitempty"`
	Callers string    `json:"callers,omitempty"` // the ranks that send such messages by that call
	Never   bool      `json:"never"`             // the rank that should send it never made that call
	// where that call was made from, if the rank that should send the message sent those before from elsewhere
	Through *report.Site `json:"through,omitempty"`
	At      *MadeCall    `json:"at,omitempty"` // the call that the sender is in, or made last; absent: unknown
	InMPI   bool         `json:"in_mpi"`       // it is in that call
	// the sender comes to the call only behind the one that it is in, as the code shows
	Behind bool `json:"behind,omitempty"`
	// a call by which the sender sent such messages to all other ranks that it sent any to, and none or fewer to the rank that waits
	Omission *Omission `json:"omission,omitempty"`
	// messages of the sender that lie unreceived, one of which may be the one that is awaited
	Unreceived []Unreceived `json:"unreceived,omitempty"`
	// messages of the rank that waits to the one that should send, which lie unreceived there
	Unanswered []Unreceived `json:"unanswered,omitempty"`
	// messages of the kind from another rank to the one that waits, which has received none of them: it may wait for the wrong rank
	Beside *Unreceived `json:"beside,omitempty"`
	// messages that several ranks sent alike to the one that waits, which has received none of them
	Unmatched *Unmatched `json:"unmatched,omitempty"`
	// the branch that decides whether the call is made; if never is true, by which the sender passed it; absent: unknown
	Branch *Branch `json:"branch,omitempty"`
}

// Omission is a call that sent messages to some ranks, and none or fewer to one that waits for such a message.
type Omission struct {
	To     string    `json:"to"`             // the ranks that it sent to
	Each   uint64    `json:"each,omitempty"` // how many messages to each of them; absent: not as many to all, or unknown
	Own    uint64    `json:"own"`            // how many to the rank that waits
	SentBy *MadeCall `json:"sent_by"`        // the call
}

// Unreceived is messages that lie unreceived.
type Unreceived struct {
	From         int       `json:"from"`              // the rank that sent them
	To           int       `json:"to"`                // the rank that they were sent to
	Tag          int       `json:"tag"`               // their tag
	Communicator string    `json:"communicator"`      // their communicator, in words
	Count        uint64    `json:"count"`             // how many
	SentBy       *MadeCall `json:"sent_by,omitempty"` // the call that sends them; absent: unknown
}

// Unmatched is messages that several ranks sent alike to one that has received none of them.
type Unmatched struct {
	Senders string    `json:"senders"`           // the ranks that sent them
	Each    uint64    `json:"each"`              // how many each of them sent by the call
	SentBy  *MadeCall `json:"sent_by,omitempty"` // the call that sent most of them; absent: unknown
}

// MadeCall is a call of an MPI function.
type MadeCall struct {
	MPI string `json:"mpi"` // the MPI function
	report.Site
	Stack []report.Frame `json:"stack"` // its call stack, innermost frame first
}

// anyTag stands for any tag in the JSON form.
const anyTag = -1

func (s Source) newUnsent(m progress.Unsent, names wording.Names) Unsent {
	out := Unsent{
		Rank: m.Rank, From: m.Peer, Tag: m.Tag, Communicator: names.Comm(m.On), Number: m.Number, Sent: m.Sent,
		Failed: m.Failed, AnySource: m.AnySource, SentBy: s.newMadeCall(m.By), Callers: m.Callers.String(), Never: m.Never,
		At: s.newMadeCall(m.At), InMPI: m.InMPI,
	}
	if m.AnyTag() {
		out.Tag = anyTag
	}
	if m.Earlier != nil {
		out.Through = firstDifference(out.SentBy, s.newMadeCall(m.Earlier))
	}
	if o := m.Omission; o != nil && o.By != nil {
		out.Omission = &Omission{To: o.To.String(), Each: o.Each, Own: o.Own, SentBy: s.newMadeCall(o.By)}
	}
	out.Unreceived = s.newUnreceived(m.Others, m.OthersOn, names)
	out.Unanswered = s.newUnreceived(m.Unanswered, m.UnansweredOn, names)
	if m.Beside != nil {
		out.Beside = &s.newUnreceived([]unsent.Other{m.Beside.Other}, []model.CommRef{m.On}, names)[0]
	}
	if u := m.Unmatched; u != nil {
		out.Unmatched = &Unmatched{Senders: u.Senders.String(), Each: u.Each, SentBy: s.newMadeCall(u.By)}
	}
	return out
}

// newUnreceived describes messages on some communicators.
func (s Source) newUnreceived(messages []unsent.Other, on []model.CommRef, names wording.Names) (out []Unreceived) {
	for i, m := range messages {
		out = append(out, Unreceived{
			From: m.From, To: m.To, Tag: m.Tag, Communicator: names.Comm(on[i]), Count: m.Count, SentBy: s.newMadeCall(m.By),
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

// firstDifference is the innermost place of a call's stack that another call was not made from; nil: there is none.
func firstDifference(call, other *MadeCall) *report.Site {
	for i, frame := range call.Stack {
		if i >= len(other.Stack) || frame != other.Stack[i] {
			return &report.Site{Function: frame.Function, File: frame.File, Line: frame.Line}
		}
	}
	return nil
}

// text names the call and its place; of none it is "".
func (c *MadeCall) text() string {
	if c == nil {
		return ""
	}
	return wording.CallAt(c.MPI, c.Site)
}

// unsentLines say where messages would have come from that ranks wait for, once for messages that differ in their number only.
func unsentLines(r *Result) []string {
	var lines []string
	for i := 0; i < len(r.Unsent); {
		first, n := &r.Unsent[i], 1
		for i+n < len(r.Unsent) && r.Unsent[i+n].isLike(first) {
			n++
		}
		text := first.words().Missing()
		if n > 1 {
			text += fmt.Sprintf(" Rank %d waits for %s.", first.Rank, words.Count(n-1, "more such message", "more such messages"))
		}
		lines, i = append(lines, text), i+n
	}
	return lines
}

// isLike reports whether it differs from another message in its number only.
func (m *Unsent) isLike(other *Unsent) bool {
	return m.Rank == other.Rank && m.From == other.From && m.Tag == other.Tag && m.Communicator == other.Communicator &&
		m.Failed == other.Failed && m.AnySource == other.AnySource
}

// words is what is said of it.
func (m *Unsent) words() *wording.Message {
	out := &wording.Message{Rank: m.Rank, From: m.From, Tag: m.Tag, On: m.Communicator, Number: m.Number, Sent: m.Sent, Failed: m.Failed,
		AnySource: m.AnySource, AnyTag: m.Tag == anyTag, SentBy: m.SentBy.text(), Callers: m.Callers, Never: m.Never, At: m.At.text(),
		InMPI: m.InMPI}
	if m.Through != nil {
		out.Through = m.Through.String()
	}
	if o := m.Omission; o != nil {
		out.Omission = &wording.Omission{To: o.To, Each: o.Each, Own: o.Own, SentBy: o.SentBy.text()}
	}
	for i := range m.Unreceived {
		out.Unreceived = append(out.Unreceived, m.Unreceived[i].words())
	}
	if m.Beside != nil {
		out.Unreceived = append(out.Unreceived, m.Beside.words())
	}
	return out
}

func (o *Unreceived) words() wording.Unreceived {
	return wording.Unreceived{From: o.From, To: o.To, Tag: o.Tag, On: o.Communicator, Count: o.Count, SentBy: o.SentBy.text()}
}

// skips writes what the code says of messages that were not sent, once for all ranks that wait for such a message, and not again if it
// decided the first divergence, too.
func (p *printer) skips(r *Result) {
	var texts []string
	for i := range r.Unsent {
		m := &r.Unsent[i]
		if m.Branch != nil && len(r.Divergences) > 0 && r.Divergences[0].Branch != nil && r.Divergences[0].Branch.Site == m.Branch.Site {
			continue
		}
		if text := r.skipText(m); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	p.List(len(texts), maxSkips, "skipped calls", func(i int) {
		p.Line("")
		p.WriteString(texts[i])
	})
}

// skipText says by which branch the call that sends a message was passed; "": the code does not tell.
func (r *Result) skipText(m *Unsent) string {
	var p printer
	switch {
	case m.Behind:
		p.Line("%s", m.words().Behind(r.awaitAlike(m)))
	case m.Branch != nil:
		p.Line("%s", m.words().Skipped(r.awaitAlike(m)))
		p.branch(r, m.Branch)
	}
	return p.String()
}

// awaitAlike returns the ranks that wait for a message of the same rank by the same call, of which the code says the same.
func (r *Result) awaitAlike(m *Unsent) (out model.RankSet) {
	for i := range r.Unsent {
		o := &r.Unsent[i]
		decided := m.Branch == nil || o.Branch != nil && o.Branch.Site == m.Branch.Site
		if o.From == m.From && o.SentBy.text() == m.SentBy.text() && o.Never == m.Never && o.Behind == m.Behind && decided {
			out.Add(o.Rank)
		}
	}
	return out
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
	waits := r.LeastProgressed.siteOf(m.Rank)
	if o := m.nearest(); o != nil {
		return "; " + m.mismatchText(o, waits)
	}
	if o := m.astray(); o != nil {
		other := o.words()
		return "; " + m.words().Astray(&other, o.SentBy.site(), waits)
	}
	if m.Omission != nil {
		return "; " + m.words().Omitted(m.Omission.SentBy.site())
	}
	if t := r.takenInstead(m); t != nil {
		return t.reason()
	}
	if m.Beside != nil {
		return "; " + m.mismatchText(m.Beside, waits)
	}
	return "; " + m.words().Owed() + m.otherTagsText()
}

// otherTagsText says which other tags messages have that lie unreceived where none with the awaited one ever came: one of them may be meant
// for it.
func (m *Unsent) otherTagsText() string {
	if m.Sent > 0 || m.Tag == anyTag {
		return ""
	}
	var tags []string
	for i := range m.Unreceived {
		if o := &m.Unreceived[i]; o.To == m.Rank && o.Communicator == m.Communicator {
			tags = append(tags, strconv.Itoa(o.Tag))
		}
	}
	if len(tags) == 0 {
		return ""
	}
	const most = 3
	if len(tags) > most {
		tags = append(tags[:most], "…")
	}
	return fmt.Sprintf(", but messages with other tags (%s), which are unreceived", strings.Join(tags, ", "))
}

// leftForFinalizeReason says of a rank that went to MPI_Finalize, and for whose message another one waits, by which call it sent messages
// to the others, or which message lies unreceived there.
func (r *Result) leftForFinalizeReason() string {
	if r.LeastProgressed.Rule != progress.RuleLeftForFinalize {
		return ""
	}
	m := r.owed()
	switch {
	case m == nil:
		return ""
	case m.Omission != nil:
		return "; " + m.words().Omitted(m.Omission.SentBy.site())
	case len(m.Unanswered) > 0:
		request := m.Unanswered[0].words()
		return "; " + m.words().Unanswered(&request, m.Unanswered[0].SentBy.site())
	}
	return ""
}

// owed is a message that one of the named ranks has not sent and that another waits for, or that one of them may send while one of
// the named ranks waits for it: of several the first that says most of the cause. Of ranks that wait for each other it is one between
// them, if there is any: that others wait for them follows. nil: there is none.
func (r *Result) owed() (best *Unsent) {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	within := func(m *Unsent) bool {
		return r.LeastProgressed.Rule == progress.RuleDeadlock && named.Contains(m.From) && named.Contains(m.Rank)
	}
	for i := range r.Unsent {
		m := &r.Unsent[i]
		may := !m.Failed && named.Contains(m.From) || (m.AnySource || m.Unmatched != nil || m.Beside != nil) && named.Contains(m.Rank)
		switch {
		case !may:
		case best == nil, within(m) && !within(best), within(m) == within(best) && m.weight() > best.weight():
			best = m
		}
	}
	return best
}

// weight is how much a message says of the cause: most if another may be meant for it, and more if none of its kind was sent than if it is
// only the next one.
func (m *Unsent) weight() int {
	switch {
	case m.nearest() != nil:
		return 3
	case m.astray() != nil || m.Omission != nil || m.Beside != nil:
		return 2
	case m.Sent == 0:
		return 1
	}
	return 0
}

// astray is messages of the awaited tag that lie unreceived at another rank; nil: there are none, or others besides.
func (m *Unsent) astray() *Unreceived {
	if len(m.Unreceived) != 1 || m.Unreceived[0].To == m.Rank || m.Unreceived[0].Tag != m.Tag {
		return nil
	}
	return &m.Unreceived[0]
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
		if o.To != m.Rank || m.Tag != anyTag && o.Tag != m.Tag && o.Communicator != m.Communicator {
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
	other := o.words()
	return m.words().Mismatch(&other, o.SentBy.site(), waits)
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
