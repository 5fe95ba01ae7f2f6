package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
)

// mostMemory bounds, in bytes, what a diagnosis of a small run directory may take, whatever sizes that claims.
const mostMemory = 256 << 20

// TestImpossibleSizes: a run directory that claims sizes beyond all that is in it takes no more time and memory than
// one that does not.
func TestImpossibleSizes(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"communicator": func(t *testing.T, dir string) { claimComm(t, dir, math.MaxInt32, 4) },
		"members":      func(t *testing.T, dir string) { claimComm(t, dir, math.MaxInt32, math.MaxInt32) },
		"ranks": func(t *testing.T, dir string) {
			const nodes, perNode = 80, 250
			for node := range nodes {
				var ranks []*model.Rank
				for i := range perNode {
					ranks = append(ranks, waitingRank(node*perNode+i, 2_000_000_000))
				}
				writeRanks(t, dir, strconv.Itoa(node), ranks)
			}
		},
		"world": func(t *testing.T, dir string) {
			writeRanks(t, dir, "n1", []*model.Rank{
				waitingRank(0, math.MaxInt32), waitingRank(math.MaxInt32-1, math.MaxInt32),
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			spoil(t, dir)
			for _, form := range [][]string{{"--json"}, {}, {"--html", "-"}, {"--dot"}, {"--stacks"}} {
				cmd := exec.Command(os.Args[0], append(append([]string{"diagnose"}, form...), dir)...)
				cmd.Args[0] = "laggard"
				var out counter // the memory of this process counts for a child that it starts
				var complaint bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &complaint
				begin := time.Now()
				err := cmd.Run()
				took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
				t.Logf("%q: %v, %v of CPU time, %d MB, %d bytes, %v", form, time.Since(begin), took, most>>20, out, err)
				if most > mostMemory {
					t.Errorf("%q takes %d MB of memory", form, most>>20)
				}
				if took > 10*time.Second {
					t.Errorf("%q takes %v", form, took)
				}
				if int(out)+complaint.Len() == 0 || cmd.ProcessState.ExitCode() != exitDamaged && err != nil {
					t.Errorf("%q: %v\n%s", form, err, complaint.String())
				}
			}
		})
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func waitingRank(rank, size int) *model.Rank {
	return &model.Rank{Rank: rank, Size: size, Slot: rank, PID: 1 << 22, Family: "mpich", Phase: model.Running,
		Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
}

func writeRanks(t *testing.T, dir, host string, ranks []*model.Rank) {
	t.Helper()
	for i, r := range ranks {
		r.Slot = i
	}
	musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 1, Host: host}, ranks))(t)
}

// claimComm writes a run of four ranks that wait in a barrier, and has their communicator claim another size and
// other members.
func claimComm(t *testing.T, dir string, size, members uint32) {
	t.Helper()
	const known = 4
	var ranks []*model.Rank
	for i := range known {
		r := waitingRank(i, known)
		r.Comms = []*model.Comm{{ID: 7, Rank: i, Members: []int{0, 1, 2, 3}, Size: known, Coll: 5, State: -1}}
		r.Threads[0].Op = model.Op{InMPI: true, Kind: model.Collective, State: -1,
			Pending: []model.Pending{{Kind: model.Collective, Comm: 0, Peer: model.None, Seq: 5, State: -1}}}
		ranks = append(ranks, r)
	}
	writeRanks(t, dir, "n1", ranks)
	name := filepath.Join(dir, "node-n1.lgd")
	data := musttest.Get(os.ReadFile(name))(t)
	// In a COMM record: its size, that of the remote group, numbers of ranges and neighbours, one range.
	old := littleEndian(known, 0, 1, 0, 0, 0, 1, known)
	const before = 16 + 12 // the record's header, then index, flags and rank
	found := 0
	for at := 0; ; found++ {
		i := bytes.Index(data[at:], old)
		if i < 0 {
			break
		}
		at += i
		copy(data[at:], littleEndian(size, 0, 1, 0, 0, 0, 1, members))
		header := data[at-before:]
		fixed := binary.LittleEndian.Uint32(header[8:])
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		sum.Write(header[:12])
		sum.Write(header[16:][:fixed])
		binary.LittleEndian.PutUint32(header[12:], sum.Sum32())
	}
	musttest.Equal(t, known, found, "communicators found")
	musttest.Succeed(t, os.WriteFile(name, data, 0o600))
}

func littleEndian(list ...uint32) (out []byte) {
	for _, w := range list {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}
