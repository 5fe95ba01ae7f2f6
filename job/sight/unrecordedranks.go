package sight

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"laggard/intake/backtrace"
	"laggard/internal/procfs"
	"laggard/job/launcher"
	"laggard/job/preload"
	"laggard/model"
)

// mostOutside bounds the processes whose stacks are taken from outside: each is held
// for a moment.
const mostOutside = 16

// UnrecordedRanks finds, of ranks that have left no record, the processes on this node that
// the launcher has started as such, and in which the recorder is. They have not come to MPI yet: they read, import
// modules, wait for a licence. What is known of them is as if they had recorded it,
// with the stack if eu-stack (elfutils) is there to take it. Of processes without the recorder it is not known how far they are.
func UnrecordedRanks(runID string, missing model.RankSet) []*model.Rank {
	var out []*model.Rank
	for rank, pid := range launchedRanks(runID, missing) {
		r := &model.Rank{Rank: rank, Size: -1, PID: pid, Phase: model.Starting, EndDetail: -1, ThreadLevel: -1}
		r.Exe, _ = os.Readlink(procfs.Path(pid, "exe"))
		t := &model.Thread{TID: pid, Op: model.Op{State: -1}}
		if len(out) < mostOutside {
			r.Modules, t.Captured = stackOf(pid)
		}
		r.Threads = []*model.Thread{t}
		out = append(out, r)
	}
	return out
}

// launchedRanks finds the processes of some ranks of a run by their environment. Of
// several, such as a script and what it called, the last one is at work.
func launchedRanks(runID string, ranks model.RankSet) map[int]int {
	out := map[int]int{}
	for _, pid := range procfs.PIDs() {
		env, err := os.ReadFile(procfs.Path(pid, "environ"))
		if err != nil || !bytes.Contains(env, []byte("LAGGARD_RUN_ID="+runID)) {
			continue
		}
		vars := map[string]string{}
		for kv := range strings.SplitSeq(string(env), "\x00") {
			name, value, _ := strings.Cut(kv, "=")
			vars[name] = value
		}
		rank, err := strconv.Atoi(launcher.RankIn(func(name string) string { return vars[name] }))
		if err == nil && ranks.Contains(rank) && pid > out[rank] && preload.IsIn(pid) {
			out[rank] = pid
		}
	}
	return out
}

// stackTime bounds the time that is spent on the stack of one process: one that waits for a disk does not stop to be looked at.
const stackTime = 10 * time.Second

// stackOf takes the stack of a process's first thread.
func stackOf(pid int) ([]*model.Module, *model.Capture) {
	ctx, cancel := context.WithTimeout(context.Background(), stackTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, "eu-stack", "-b", "-m", "-p", strconv.Itoa(pid)).Output()
	if err != nil && len(text) == 0 {
		return nil, nil
	}
	stacks, _, err := backtrace.Read("eu-stack", bytes.NewReader(text))
	if err != nil {
		return nil, nil
	}
	for _, s := range stacks {
		if s.TID == pid {
			return capturedStack(s)
		}
	}
	return nil, nil
}

// capturedStack is a stack as a recorder would have captured it.
func capturedStack(s backtrace.Stack) ([]*model.Module, *model.Capture) {
	c := &model.Capture{Time: time.Now(), Why: model.CaptureQuiet, Partial: s.Partial, Same: 1}
	known := map[string]*model.Module{}
	var modules []*model.Module
	for _, f := range s.Frames {
		if f.Inlined {
			continue // it shares the address of the next
		}
		frame := model.Frame{Offset: f.Address}
		if f.BuildID != "" {
			frame.Module = known[f.BuildID]
			if frame.Module == nil {
				frame.Module = &model.Module{BuildID: f.BuildID, Path: f.Module, Base: f.LoadBias()}
				known[f.BuildID] = frame.Module
				modules = append(modules, frame.Module)
			}
			frame.Offset -= f.LoadBias()
		}
		c.Stack = append(c.Stack, frame)
	}
	return modules, c
}
