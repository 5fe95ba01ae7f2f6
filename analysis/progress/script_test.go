package progress

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"laggard/model"
	"laggard/model/mpi"
)

// The language of the transcripts in testdata. A line describes something:
//
//	size N                            ranks of MPI_COMM_WORLD, default: the last rank + 1
//	comm NAME members=SET [remote=SET] [window] [file], or order=RANK,…: the members by their place
//	model NAME A>B:count …            states are named by their MPI function, with #x to tell two apart
//	rank SET word …                   a later line for a rank replaces an earlier one
//
// Words of a rank: model=NAME, at=STATE (in the call), after=STATE,
// kind=KIND, pend=KIND:COMM:PEER:TAG:SEQ[:STATE] (PEER and TAG: a number, any,
// none, null; PEER also me+1, me-1 around the communicator; TAG also post,
// complete, exclusive, shared), coll=COMM:COUNT, ch=COMM:PEER:TAG:SENT:RECEIVED,
// took=COMM:PEER:TAG:NUMBER:STATE (a message that a wildcard in STATE took; tookany: one for any tag),
// probed=COMM:PEER:TAG:NUMBER:STATE (one that a matched probe in STATE took, and no receive yet),
// wild=COMM:PEER:TAG:COUNT:STATE (receives with a wildcard that STATE began and that are not complete),
// failed=STATE:COUNT[:CALLS] (errors that MPI returned to a state, the last so many calls ago),
// near=COMM:SOURCES:DESTS (neighbours), lock=COMM:TARGET:TYPE, phase=, end=HOW:DETAIL, endtime=, beat=,
// asked= and fatal= (a signal NUMBER:SENDER:PID:SECONDS; fatal ended the rank), ender=, orphaned, pid=,
// stopped= and gone= (seconds), noted (the kernel noted the end), watched, host=,
// says= (the size of MPI_COMM_WORLD), polls=,
// visits= (to the state), counts=STATE:VISITS,…, same= (captures in a row without
// a call), moved (a call since the capture), stack=a,b (captured frames), and after it holder=HOW:TID (what it waits for there:
// the owner of a mutex, an owner that is gone, or the end of a thread; process:PID; filelock:PID:COMMAND:FILE), tid=, ended (the thread),
// passing (it left its call while the threads were read), progress=,
// error= (when MPI reported one, seconds), said=FAMILY:CLASS:TEXT (what MPI said of it, with ~ for
// a space and | for a new line), unlisted=, off, evicted, spawned, level= (of threads), and thread, after which words are about another
// thread with less progress.
type script struct {
	size   int
	comms  []scriptComm
	models map[string]model.Model
	lines  map[int][]string // by rank
}

type scriptComm struct {
	name            string
	members, remote []int
	window, file    bool
}

func (c *scriptComm) commKind() model.CommKind {
	switch {
	case c.window:
		return model.Window
	case c.file:
		return model.File
	case len(c.remote) > 0:
		return model.Inter
	}
	return map[string]model.CommKind{"world": model.World, "self": model.Self}[c.name]
}

func parseScript(input string) *script {
	s := &script{models: map[string]model.Model{}, lines: map[int][]string{}}
	for line := range strings.Lines(input) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		switch words[0] {
		case "size":
			s.size = mustInt(words[1])
		case "comm":
			s.comms = append(s.comms, parseComm(words[1:]))
		case "model":
			s.models[words[1]] = parseModel(words[2:])
		case "rank":
			for _, r := range mustRanks(words[1]) {
				s.lines[r] = words[2:]
				s.size = max(s.size, r+1)
			}
		default:
			panic("unknown line: " + line)
		}
	}
	return s
}

func mustInt(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func mustRanks(text string) []int {
	s, err := model.ParseRankSet(text)
	if err != nil {
		panic(err)
	}
	return s.Slice()
}

func parseComm(words []string) scriptComm {
	c := scriptComm{name: words[0]}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "remote":
			c.remote = mustRanks(value)
		case "window":
			c.window = true
		case "file":
			c.file = true
		case "order":
			for _, rank := range strings.Split(value, ",") {
				c.members = append(c.members, mustInt(rank))
			}
		default:
			c.members = mustRanks(value)
		}
	}
	return c
}

// stateNamed makes a state; the same name gives the same ID.
func stateNamed(name string) *model.State {
	call, _, _ := strings.Cut(name, "#")
	return &model.State{
		ID: md5.Sum([]byte(name)), Call: call,
		Stack: []model.Frame{frameNamed(name)},
	}
}

func frameNamed(name string) model.Frame {
	sum := md5.Sum([]byte(name))
	return model.Frame{Module: &model.Module{BuildID: "ab", Path: "/bin/app"},
		Offset: uint64(sum[0])<<8 | uint64(sum[1])}
}

func parseModel(words []string) model.Model {
	var m model.Model
	for _, w := range words {
		pair, count, _ := strings.Cut(w, ":")
		from, to, _ := strings.Cut(pair, ">")
		m.Edges = append(m.Edges, model.Edge{From: stateIn(&m, from), To: stateIn(&m, to),
			Count: uint64(mustInt(count))})
	}
	return m
}

// stateIn returns the index of a state in a model, adding it if need be.
func stateIn(m *model.Model, name string) int {
	s := stateNamed(name)
	for i, known := range m.States {
		if known.ID == s.ID {
			return i
		}
	}
	m.States, m.Visits = append(m.States, s), append(m.Visits, 1)
	return len(m.States) - 1
}

// buildRanks builds the ranks that the script describes.
func (s *script) buildRanks() []*model.Rank {
	world := make([]int, s.size)
	for i := range world {
		world[i] = i
	}
	comms := append([]scriptComm{{name: "world", members: world}}, s.comms...)
	var out []*model.Rank
	for r := range s.size {
		if words, there := s.lines[r]; there {
			out = append(out, s.buildRank(r, words, comms))
		}
	}
	return out
}

func (s *script) buildRank(rank int, words []string, comms []scriptComm) *model.Rank {
	t := &model.Thread{Op: model.Op{State: -1}, Calls: 100, Progress: 50}
	r := &model.Rank{Rank: rank, Size: s.size, Host: "n1", Phase: model.Running, EndDetail: -1, ThreadLevel: -1,
		Threads: []*model.Thread{t}}
	b := &rankBuilder{script: s, r: r, t: t, comms: map[string]int{}}
	for i, c := range comms {
		b.addComm(i, c)
	}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		b.applyWord(key, value)
	}
	return r
}

type rankBuilder struct {
	script *script
	r      *model.Rank
	t      *model.Thread
	comms  map[string]int
}

func (b *rankBuilder) addComm(id int, c scriptComm) {
	for _, groups := range [][2][]int{{c.members, c.remote}, {c.remote, c.members}} {
		for i, m := range groups[0] {
			if m == b.r.Rank {
				b.comms[c.name] = len(b.r.Comms)
				b.r.Comms = append(b.r.Comms, &model.Comm{
					ID: uint64(id + 1), Kind: c.commKind(), Rank: i, Members: groups[0], Remote: groups[1], State: -1,
				})
			}
		}
	}
}

var kinds = map[string]model.Kind{
	"local": model.Local, "send": model.Send, "recv": model.Recv, "probe": model.Probe, "coll": model.Collective,
	"wait": model.Wait, "waitany": model.WaitAny, "poll": model.Poll, "init": model.Init, "finalize": model.Finalize,
	"rma": model.RMA, "other": model.Other, "abort": model.Abort,
}

// target is what a word sets that does no more: a number, a time in seconds, or that something is so; nil: it does more.
func (b *rankBuilder) target(key string) any {
	r, t := b.r, b.t
	return map[string]any{
		"level": &r.ThreadLevel, "pid": &r.PID, "tid": &t.TID, "unlisted": &t.Op.Unlisted, "says": &r.Size,
		"polls": &t.Polls, "progress": &t.Progress,
		"endtime": &r.EndTime, "quiet": &r.QuietSince, "beat": &r.Heartbeat,
		"orphaned": &r.Orphaned, "noted": &r.GoneNoted, "watched": &r.Watched, "ended": &t.Ended, "passing": &t.Op.Passing,
		"off": &r.Off, "spawned": &r.Spawned,
	}[key]
}

func (b *rankBuilder) applyWord(key, value string) {
	switch at := b.target(key).(type) {
	case *int:
		*at = mustInt(value)
	case *uint64:
		*at = uint64(mustInt(value))
	case *time.Time:
		*at = secondsOf(value)
	case *bool:
		*at = true
	default:
		b.applyOther(key, value)
	}
}

// secondsOf is a time by its seconds.
func secondsOf(text string) time.Time { return time.Unix(int64(mustInt(text)), 0) }

// applyOther applies a word that has no target.
func (b *rankBuilder) applyOther(key, value string) {
	r, t := b.r, b.t
	parts := strings.Split(value, ":")
	switch key {
	case "model":
		m := b.script.models[value]
		t.Model = model.Model{States: append([]*model.State(nil), m.States...),
			Visits: append([]uint64(nil), m.Visits...), Edges: m.Edges}
	case "at", "after":
		t.Op.State, t.Op.InMPI = stateIn(&t.Model, value), key == "at"
	case "kind":
		t.Op.Kind = kinds[value]
	case "pend":
		t.Op.Pending = append(t.Op.Pending, b.parsePending(parts))
	case "coll":
		r.Comms[b.comms[parts[0]]].Coll = uint64(mustInt(parts[1]))
	case "ch":
		comm := b.comms[parts[0]]
		r.Channels = append(r.Channels, model.Channel{Comm: comm, Peer: b.parsePeer(comm, parts[1]), Tag: parseSpecial(parts[2]),
			Sent: uint64(mustInt(parts[3])), Received: uint64(mustInt(parts[4]))})
	case "took":
		r.Taken = append(r.Taken, b.parseTaken(parts, true))
	case "tookany":
		m := b.parseTaken(parts, true)
		m.AnyTag = true
		r.Taken = append(r.Taken, m)
	case "probed":
		r.Probed = append(r.Probed, b.parseTaken(parts, false))
	case "wild":
		m := b.parseTaken(parts, true)
		r.Wildcards = append(r.Wildcards, model.Wildcard{Comm: m.Comm, Peer: m.Peer, Tag: m.Tag, Count: m.Number, Thread: m.Thread,
			State: m.State})
	case "failed":
		one := model.Failed{State: stateIn(&t.Model, parts[0]), Class: 6, Text: "MPI_ERR_RANK: invalid rank",
			Count: uint64(mustInt(parts[1])), Calls: t.Calls}
		if len(parts) > 2 {
			one.Calls -= uint64(mustInt(parts[2]))
		}
		t.Failed = append(t.Failed, one)
	case "near":
		r.Comms[b.comms[parts[0]]].Neighbours = &model.Neighbours{Sources: mustRanks(parts[1]), Dests: mustRanks(parts[2])}
	case "lock":
		r.Locks = append(r.Locks, model.Lock{Comm: b.comms[parts[0]], Target: parseSpecial(parts[1]),
			Type: model.LockType(parseSpecial(parts[2]))})
	case "phase":
		r.Phase = map[string]model.Phase{"starting": model.Starting, "finalizing": model.Finalizing,
			"finalized": model.Finalized}[value]
	case "end":
		r.End = map[string]model.End{"exited": model.Exited, "signalled": model.Signalled,
			"aborted": model.Aborted}[parts[0]]
		r.EndDetail = mustInt(parts[1])
	case "asked":
		r.Asked = parseSignal(parts)
	case "fatal":
		r.Fatal = parseSignal(parts)
		r.End, r.EndDetail, r.EndTime = model.Signalled, r.Fatal.Number, r.Fatal.Time
	case "ender":
		r.Ender = map[string]model.Ender{"program": model.EnderProgram, "library": model.EnderLibrary,
			"exec": model.EnderExec}[value]
	case "gone":
		r.Watched, r.Gone = true, time.UnixMilli(int64(1000*mustFloat(value)))
	case "works": // for so many seconds, and has written so many megabytes
		r.QuietSince = r.Heartbeat.Add(-time.Duration(mustInt(parts[0])) * time.Second)
		r.Activity = model.Activity{Active: r.Heartbeat, How: model.MovesBytes, Written: 1e6 * uint64(mustInt(parts[1]))}
	case "moves": // so many megabytes in the call
		r.Activity = model.Activity{Active: r.Heartbeat, How: model.MovesBytes, Read: 1e6 * uint64(mustInt(value))}
	case "stopped":
		r.Watched, r.Stopped = true, secondsOf(value)
	case "host":
		r.Host = value
	case "visits":
		t.Model.Visits[t.Op.State] = uint64(mustInt(value))
	case "counts":
		for word := range strings.SplitSeq(value, ",") {
			name, count, _ := strings.Cut(word, ":")
			t.Model.Visits[stateIn(&t.Model, name)] = uint64(mustInt(count))
		}
	case "same":
		t.Captured = &model.Capture{Why: model.CaptureQuiet, Calls: t.Calls, Same: mustInt(value), InMPI: t.Op.InMPI}
	case "away":
		t.Captured = &model.Capture{Why: model.CaptureSignal, Calls: t.Calls, Same: 1, Idle: true}
	case "moved":
		t.Captured = &model.Capture{Why: model.CaptureQuiet, Calls: t.Calls - 1, Same: 1}
	case "stack":
		if t.Captured == nil {
			t.Captured = &model.Capture{Why: model.CaptureQuiet, Calls: t.Calls, Same: 1}
		}
		for name := range strings.SplitSeq(value, ",") {
			t.Captured.Stack = append(t.Captured.Stack, frameNamed(name))
		}
	case "holder":
		t.Captured.Awaited = map[string]model.Awaited{"owner": model.OwnerAwaited, "gone": model.GoneAwaited,
			"end": model.EndAwaited, "filelock": model.FileLockAwaited, "process": model.ProcessAwaited}[parts[0]]
		t.Captured.AwaitedTID = mustInt(parts[1])
		if t.Captured.Awaited == model.FileLockAwaited {
			t.FileLock = &model.FileLock{Holder: mustInt(parts[1]), Command: parts[2], File: parts[3]}
		}
	case "raised":
		hows := map[string]model.RaisedHow{"handled": model.RaisedHandled, "last": model.RaisedLast}
		module := &model.Module{Path: "app.py:<module>", BuildID: hex.EncodeToString([]byte("python"))}
		t.Raised = &model.Raised{How: hows[value], Calls: t.Calls, Type: "ValueError",
			Stack: []model.Frame{{Module: module}}}
		if t.Raised.How == model.RaisedLast && t.Op.State >= 0 { // the interpreter ends
			at := t.Model.States[t.Op.State]
			at.Stack = append(at.Stack, model.Frame{Module: &model.Module{BuildID: "ac", Path: "/usr/bin/python3.11"}})
		}
	case "error":
		t.Captured = &model.Capture{Why: model.CaptureError, Calls: t.Calls, InMPI: true,
			Time: secondsOf(value)}
	case "said":
		parts := strings.SplitN(value, ":", 3)
		r.Family = mpi.Family(parts[0])
		t.Failed = append(t.Failed, model.Failed{State: t.Op.State, Class: mustInt(parts[1]), Calls: t.Calls,
			Text: strings.ReplaceAll(strings.ReplaceAll(parts[2], "~", " "), "|", "\n")})
	case "bad":
		parts := strings.Split(value, ":")
		r.Bad = model.BadArgument{How: model.BadHow(mustInt(parts[0])), Position: mustInt(parts[1]), Element: mustInt(parts[2]),
			Value: int64(mustInt(parts[3])), Limit: int64(mustInt(parts[4]))}
	case "evicted":
		r.Evicted = 1
	case "thread":
		b.t = &model.Thread{Index: len(r.Threads), Op: model.Op{State: -1}, Calls: 10, Progress: 5}
		r.Threads = append(r.Threads, b.t)
	default:
		panic("unknown word: " + key)
	}
}

// parseSignal reads NUMBER:SENDER:PID:SECONDS.
func parseSignal(parts []string) model.Signal {
	senders := map[string]model.Sender{"kernel": model.SenderKernel, "self": model.SenderSelf,
		"parent": model.SenderParent, "above": model.SenderAbove, "other": model.SenderOther,
		"child": model.SenderChild}
	return model.Signal{Number: mustInt(parts[0]), Sender: senders[parts[1]], PID: mustInt(parts[2]),
		Time: secondsOf(parts[3])}
}

// parseTaken reads COMM:PEER:TAG:NUMBER:STATE.
func (b *rankBuilder) parseTaken(parts []string, wild bool) model.Taken {
	comm := b.comms[parts[0]]
	return model.Taken{Comm: comm, Peer: b.parsePeer(comm, parts[1]), Tag: parseSpecial(parts[2]),
		Number: uint64(mustInt(parts[3])), State: stateIn(&b.t.Model, parts[4]), AnySource: wild}
}

func (b *rankBuilder) parsePending(parts []string) model.Pending {
	comm := b.comms[parts[1]]
	p := model.Pending{Kind: kinds[parts[0]], Comm: comm, Peer: b.parsePeer(comm, parts[2]), Tag: parseSpecial(parts[3]),
		Seq: uint64(mustInt(parts[4])), State: b.t.Op.State}
	if len(parts) > 5 {
		p.State = stateIn(&b.t.Model, parts[5])
	}
	return p
}

func (b *rankBuilder) parsePeer(comm int, text string) int {
	step, relative := strings.CutPrefix(text, "me")
	if !relative {
		return parseSpecial(text)
	}
	c := b.r.Comms[comm]
	n := len(c.Members)
	return (c.Rank + mustInt(step) + n) % n
}

func parseSpecial(text string) int {
	switch text {
	case "any":
		return model.Any
	case "none":
		return model.None
	case "null":
		return model.ProcNull
	case "post":
		return model.TagPost
	case "complete":
		return model.TagComplete
	case "exclusive":
		return int(model.Exclusive)
	case "shared":
		return int(model.Shared)
	}
	return mustInt(text)
}

// mustFloat reads a number that may have a fraction.
func mustFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}
