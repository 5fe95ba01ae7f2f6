package wording

import (
	"fmt"
	"strconv"
	"strings"

	"laggard/model"
	"laggard/report"
	"laggard/report/words"
)

// Message is a message that a rank waits for and that was not sent, or in whose receive MPI reported an error. Calls are as CallAt
// names them, "" unknown.
type Message struct {
	Rank, From   int    // who waits for it, and who should send it
	Tag          int    // its tag
	On           string // its communicator
	Number, Sent uint64 // which of the messages from that rank with that tag it is, from 1, and how many of them were sent
	Failed       bool   // MPI reported an error in its receive
	AnySource    bool   // the message may come from any rank
	AnyTag       bool   // the message may have any tag
	SentBy       string // the call that sends such messages
	Callers      string // the ranks that send such messages by that call
	Through      string // where that call was made from, if From sent the messages before from elsewhere; else ""
	Never        bool   // From never made that call
	At           string // the call that From is in, or made last
	InMPI        bool   // it is in that call
	Unreceived   []Unreceived
	Omission     *Omission // nil: there is none
}

// Omission is a call by which the sender sent such messages to all other ranks that it sent any to.
type Omission struct {
	To     string // these ranks
	Each   uint64 // how many to each of them; 0: not as many to all, or not known
	Own    uint64 // how many to the one that waits
	SentBy string // the call
}

// Unreceived are messages that lie unreceived.
type Unreceived struct {
	From, To, Tag int
	On            string // their communicator
	Count         uint64
	SentBy        string // the call that sends them, "" unknown
}

// CallAt names a call and its place.
func CallAt(function string, at report.Site) string {
	if at.Function == "" {
		return function
	}
	return function + " in " + at.String()
}

// Missing says where a message would have come from.
func (m *Message) Missing() string {
	which := fmt.Sprintf("message %d from rank %d with %s on %s", m.Number, m.From, m.tag(), m.On)
	if m.Failed {
		return fmt.Sprintf("Rank %d was receiving %s: rank %d sent it with %s.", m.Rank, which, m.From, m.SentBy)
	}
	parts, doing, at := []string{fmt.Sprintf("Rank %d waits for %s, which was not sent", m.Rank, which)}, m.doing(), ""
	if m.AnySource {
		parts[0] = fmt.Sprintf("Rank %d waits for a message from any rank with tag %d on %s", m.Rank, m.Tag, m.On)
	}
	if doing != "" {
		at = ", and " + doing
	}
	switch {
	case m.Omission != nil:
		parts = append(parts, fmt.Sprintf("Rank %d sent %s to %s with %s, but %s to rank %d", m.From, m.Omission.messages(),
			words.Ranks(m.Omission.To), m.Omission.SentBy, m.Omission.own(), m.Rank))
		if doing != "" {
			parts = append(parts, fmt.Sprintf("Rank %d %s", m.From, doing))
		}
	case m.SentBy == "" && m.InMPI && !m.AnySource:
		parts = append(parts, fmt.Sprintf("Rank %d is in %s", m.From, m.At))
	case m.SentBy == "" || m.AnySource:
	case m.Sent == 0 && m.Callers == strconv.Itoa(m.From):
		parts = append(parts, fmt.Sprintf("Rank %d sends such messages to other ranks with %s%s", m.From, m.SentBy, at))
	case m.Through != "":
		parts = append(parts, fmt.Sprintf("%s, called from %s; rank %d sent %d from elsewhere, none from there%s", m.callers(), m.Through,
			m.From, m.Sent, at))
	case m.Never:
		parts = append(parts, fmt.Sprintf("%s; rank %d never made that call%s", m.callers(), m.From, at))
	case m.Sent == 0:
		parts = append(parts, fmt.Sprintf("%s; rank %d sent none to rank %d%s", m.callers(), m.From, m.Rank, at))
	default:
		parts = append(parts, fmt.Sprintf("Rank %d sent %d with %s%s", m.From, m.Sent, m.SentBy, at))
	}
	for i := range m.Unreceived {
		parts = append(parts, m.Unreceived[i].text())
	}
	return strings.Join(parts, ". ") + "."
}

// doing says which call the sender is in, or made last; "": it is not known, or anybody may send the message.
func (m *Message) doing() string {
	switch {
	case m.At == "" || m.AnySource:
		return ""
	case m.InMPI:
		return "is in " + m.At
	}
	return "called " + m.At + " last"
}

// tag names the tag of the message.
func (m *Message) tag() string {
	if m.AnyTag {
		return "any tag"
	}
	return fmt.Sprintf("tag %d", m.Tag)
}

// messages says how many messages went to each rank.
func (o *Omission) messages() string {
	each := ""
	if strings.ContainsAny(o.To, ",-") {
		each = " each"
	}
	switch o.Each {
	case 0:
		return "messages"
	case 1:
		return "a message" + each
	}
	return fmt.Sprintf("%d messages%s", o.Each, each)
}

// own says how many messages went to the one that waits.
func (o *Omission) own() string {
	if o.Own == 0 {
		return "none"
	}
	return fmt.Sprintf("only %d", o.Own)
}

// Omitted says of the call at a place that the sender sent messages to other ranks by it, and none or fewer to the one that waits.
func (m *Message) Omitted(sent report.Site) string {
	return fmt.Sprintf("rank %d sent %s to %s%s, but %s from there to rank %d, which waits for one",
		m.From, m.Omission.messages(), words.Ranks(m.Omission.To), sent.InParentheses(), m.Omission.own(), m.Rank)
}

// callers says which ranks send such messages, and how.
func (m *Message) callers() string {
	return fmt.Sprintf("%s %s such messages with %s", words.Upper(words.Ranks(m.Callers)), words.Verb(m.Callers, "sends", "send"), m.SentBy)
}

// text says that the messages lie unreceived.
func (o *Unreceived) text() string {
	to := fmt.Sprintf("rank %d", o.To)
	if o.To == o.From {
		to = "itself"
	}
	lie := "lie"
	if o.Count == 1 {
		lie = "lies"
	}
	text := fmt.Sprintf("%s from rank %d to %s with tag %d on %s %s unreceived",
		words.Count(int(o.Count), "message", "messages"), o.From, to, o.Tag, o.On, lie)
	if o.SentBy != "" {
		text += ", sent with " + o.SentBy
	}
	return text
}

// Behind says that the sender comes to the call, for which some ranks wait, only behind the one that it is in.
func (m *Message) Behind(waiting model.RankSet) string {
	return fmt.Sprintf("Rank %d comes to %s, for which %s %s, only after %s.", m.From, m.SentBy, waiting.Phrase(),
		verb(waiting, "waits", "wait"), m.At)
}

// Skipped says, before the line that decided, that the sender did not make the call, for which some ranks wait.
func (m *Message) Skipped(waiting model.RankSet) string {
	wait := waiting.Phrase() + " " + verb(waiting, "waits", "wait")
	if m.Never {
		through := ""
		if m.Through != "" {
			through = ", called from " + m.Through
		}
		return fmt.Sprintf("Rank %d skipped %s%s, for which %s:", m.From, m.SentBy, through, wait)
	}
	return fmt.Sprintf("Rank %d did not make %s once more, for which %s; whether it does is", m.From, m.SentBy, wait)
}

// Owed says of a sender that is named, as a part of the reason, that it has not sent the message.
func (m *Message) Owed() string {
	with := fmt.Sprintf("with tag %d", m.Tag)
	if m.AnyTag {
		with = "on " + m.On
	}
	switch {
	case m.Sent > 0 && m.Number == m.Sent+1: // perhaps another receive took the message that this one is for
		return fmt.Sprintf("rank %d has sent rank %d only %s %s, which rank %d took before", m.From, m.Rank,
			words.Count(int(m.Sent), "message", "messages"), with, m.Rank)
	case m.AnyTag:
		return fmt.Sprintf("rank %d has not sent rank %d a message %s", m.From, m.Rank, with)
	}
	text := fmt.Sprintf("rank %d has not sent rank %d the message %d with tag %d", m.From, m.Rank, m.Number, m.Tag)
	if m.Never && m.SentBy != "" {
		text += ", and never made the call by which others send such: " + m.SentBy
	}
	return text
}

// Astray says which messages of the kind, sent at a place, lie unreceived at another rank, while the rank waits for one at another place.
func (m *Message) Astray(o *Unreceived, sent, waits report.Site) string {
	return fmt.Sprintf("%s%s unreceived at rank %d, and rank %d waits for one%s", o.named(), sent.InParentheses()+o.is(), o.To, m.Rank,
		waits.InParentheses())
}

// Unanswered says which messages of the rank, sent at a place, lie unreceived at the one whose message it waits for.
func (m *Message) Unanswered(o *Unreceived, sent report.Site) string {
	return fmt.Sprintf("%s%s unreceived at rank %d", o.named(), sent.InParentheses()+o.is(), m.From)
}

// named names the messages by their sender and tag, and is says that they are.
func (o *Unreceived) named() string {
	what := "a message"
	if o.Count > 1 {
		what = fmt.Sprintf("%d messages", o.Count)
	}
	return fmt.Sprintf("%s from rank %d with tag %d", what, o.From, o.Tag)
}

func (o *Unreceived) is() string {
	if o.Count > 1 {
		return " are"
	}
	return " is"
}

// Mismatch says which messages, sent at a place, lie unreceived at the rank, and for which one it waits at another. That such came before
// tells that the sender does something else, rather than give a wrong tag.
func (m *Message) Mismatch(o *Unreceived, sent, waits report.Site) string {
	on, awaited := "", fmt.Sprintf("tag %d", m.Tag)
	switch {
	case o.From != m.From:
		awaited = fmt.Sprintf("one from rank %d", m.From)
	case m.AnyTag || o.Tag == m.Tag:
		on, awaited = " on "+o.On, "it on "+m.On
	}
	before := ""
	if m.Sent > 0 && !m.AnyTag && o.From == m.From {
		before = ", which came " + words.Count(int(m.Sent), "time", "times") + " before"
	}
	return fmt.Sprintf("%s%s%s%s unreceived at rank %d, which waits for %s%s%s",
		o.named(), on, sent.InParentheses(), o.is(), m.Rank, awaited, waits.InParentheses(), before)
}
