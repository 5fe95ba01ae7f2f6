package backtrace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Frame is a level of a call stack, as far as the text tells.
type Frame struct {
	Address  uint64 // in the process; 0: the text has none
	PC       bool   // Address is that of an instruction; else it is a return address
	Function string // "" unknown
	File     string // source file, "" unknown
	Line     int    // 0 unknown
	Module   string // path of the program or library, "" unknown
	BuildID  string // of the module, lower-case hex; "" unknown
	Base     uint64 // where the module begins in the process; 0 unknown
	Offset   uint64 // address in the module, where the text has that instead
	// Inlined: the compiler put the function into that of the next frame, with
	// which it shares the address.
	Inlined bool
}

// Stack is the call stack of a thread.
type Stack struct {
	File    string // that it was read from
	Line    int    // in it, where the stack begins
	Rank    int    // as the text says, -1 if it does not
	PID     int    // 0 unknown
	TID     int    // the system's number of the thread, 0 unknown
	Program string // path of the program, "" unknown
	Fault   string // what the text says of a fault, "" nothing
	Signal  int    // that the fault was, 0 none
	Partial bool   // the text says that frames are missing at the outer end
	// Lightweight: of a lightweight core file, which does not number threads as Linux does.
	Lightweight bool
	Frames      []Frame
}

// hasPIDOfProcess reports whether the thread has the number of its process, as the main thread has on Linux.
func (s Stack) hasPIDOfProcess() bool { return !s.Lightweight && s.PID != 0 && s.TID == s.PID }

// The errors of this package wrap one of these.
var (
	ErrFormat  = errors.New("no backtrace in a known form") // of a whole file
	ErrLine    = errors.New("cannot be read")               // of a line; the rest is kept
	ErrMissing = errors.New("something is missing")         // frames or an end that should be there
)

// Problem is a line that could not be read, or something that is not there.
type Problem struct {
	File string
	Line int // from 1
	Err  error
}

// Error gives the place and the reason.
func (p *Problem) Error() string { return fmt.Sprintf("backtrace: %s:%d: %v", p.File, p.Line, p.Err) }

// Unwrap returns the reason.
func (p *Problem) Unwrap() error { return p.Err }

// Bounds of what is read from one text, for texts that nobody meant.
const (
	maxLine     = 1 << 16 // bytes; the rest of a longer line is dropped
	maxFrames   = 1 << 12 // of a stack
	maxProblems = 32      // of a file
)

// Read reads the stacks of a text, in its order. name is the file's name for
// errors. What is wrong comes as problems beside the stacks that could be read;
// err is one of reading, or wraps ErrFormat if there is no stack at all.
func Read(name string, r io.Reader) (stacks []Stack, problems []*Problem, err error) {
	d := &reader{file: name, streams: map[int]*stream{}}
	if err := d.readLines(bufio.NewReaderSize(r, maxLine)); err != nil {
		return nil, nil, fmt.Errorf("backtrace: %s: %w", name, err)
	}
	for _, s := range d.order {
		s.finishText()
	}
	if len(d.stacks) == 0 {
		return nil, d.problems, fmt.Errorf("backtrace: %s: %w", name, ErrFormat)
	}
	return d.finishedStacks(), d.problems, nil
}

// reader splits a text into the streams of the ranks that wrote it.
type reader struct {
	file     string
	line     int
	streams  map[int]*stream
	order    []*stream
	stacks   []*Stack
	problems []*Problem
}

func (d *reader) readLines(in *bufio.Reader) error {
	for {
		text, err := in.ReadSlice('\n')
		d.line++
		if len(text) > 0 {
			d.routeLine(string(bytes.TrimRight(text, "\r\n")))
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// routeLine hands a line to the stream of its rank.
func (d *reader) routeLine(text string) {
	rank, rest := cutRankLabel(text)
	s := d.streams[rank]
	if s == nil {
		s = &stream{reader: d, rank: rank}
		d.streams[rank] = s
		d.order = append(d.order, s)
	}
	s.readLine(rest)
}

func (d *reader) addProblem(line int, err error) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, &Problem{d.file, line, err})
	}
}

// finishedStacks returns the stacks that have frames.
func (d *reader) finishedStacks() []Stack {
	out := make([]Stack, 0, len(d.stacks))
	for _, s := range d.stacks {
		out = append(out, *s)
	}
	return out
}

// form reads lines of one form. It returns false for a line that does not
// belong to it.
type form func(s *stream, text string) bool

// stream is the lines that one process wrote, or a whole file.
type stream struct {
	*reader
	rank    int // -1 unknown
	pid     int
	program string
	core    *coreState // inside a lightweight core file
	current *Stack     // nil: between stacks
	opened  *Stack     // its header was read, but no frame yet
	since   int        // the stacks before this position have their process
	next    int        // number that the next frame should have
}

func (s *stream) readLine(text string) {
	for _, read := range []form{readCore, readRank, readEuStack, readGDB} {
		if read(s, text) {
			return
		}
	}
}

// openStack begins the stack of a thread whose frames follow.
func (s *stream) openStack(tid int) {
	s.current, s.next = nil, 0
	s.opened = &Stack{File: s.file, Line: s.line, Rank: s.rank, PID: s.pid, TID: tid, Program: s.program}
}

// addFrame adds a frame with its number, which begins a stack if it is 0.
func (s *stream) addFrame(number int, f Frame) {
	if s.current == nil || number < s.next {
		s.beginStack()
	}
	if number != s.next {
		s.addProblem(s.line, fmt.Errorf("%w: %d frames before frame %d", ErrMissing, number-s.next, number))
	}
	s.next = number + 1
	if len(s.current.Frames) == maxFrames {
		s.current.Partial = true
		return
	}
	s.current.Frames = append(s.current.Frames, f)
}

// beginStack starts a stack with its first frame.
func (s *stream) beginStack() {
	if s.opened == nil {
		s.openStack(0)
	}
	s.current, s.opened, s.next = s.opened, nil, 0
	s.stacks = append(s.stacks, s.current)
}

// lastFrame returns the frame read last, nil between stacks.
func (s *stream) lastFrame() *Frame {
	if s.current == nil || len(s.current.Frames) == 0 {
		return nil
	}
	return &s.current.Frames[len(s.current.Frames)-1]
}

// reportBadLine complains about the present line.
func (s *stream) reportBadLine(text string) {
	s.addProblem(s.line, fmt.Errorf("%w: %.80q", ErrLine, text))
}

func (s *stream) finishText() {
	if s.core != nil {
		s.endCore()
	}
}
