package procfs

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestParseMaps(t *testing.T) {
	maps, err := ParseMaps(strings.NewReader("" +
		"7f00-7f80 r-xp 00001000 08:02 135                        /usr/lib/a b.so (deleted)\n" +
		"7f80-8000 rw-p 00000000 00:00 0 \n8000-9000 r-xp 00000000 00:00 0    [vdso]\n"))
	if err != nil || len(maps) != 3 || maps[0].Path != "/usr/lib/a b.so" || !maps[0].Executable ||
		maps[0].Offset != 0x1000 || maps[1].Path != "" || !maps[1].Writable || maps[2].Path != "[vdso]" {
		t.Errorf("%+v, %v", maps, err)
	}
	for _, bad := range []string{"7f00 r-xp 0 0 0", "8000-7000 r-xp 0 00:00 0", "x"} {
		if _, err := ParseMaps(strings.NewReader(bad)); err == nil {
			t.Errorf("%q can be read", bad)
		}
	}
}

// TestParseStat: the name of a command may have any character.
func TestParseStat(t *testing.T) {
	behind := " S 7 17 17 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 3 0 4321 1 2 3 4 5 6 7 8 0 0 0 0 0 0 0 17 5 0 0"
	s, err := parseStat([]byte("17 (a) b( c)" + behind))
	if want := (Stat{Name: "a) b( c", State: 'S', Parent: 7, Threads: 3, Start: 4321, CPU: 5}); err != nil || s != want {
		t.Errorf("%+v, %v, want %+v", s, err, want)
	}
	for _, bad := range []string{"", "17 name S", "17 (a) S 7", "17 )a(" + behind, "17 (a)" + strings.Replace(behind, "7", "x", 1)} {
		if s, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

// TestSelf reads this process.
func TestSelf(t *testing.T) {
	pid := os.Getpid()
	s, err := ReadStat(pid)
	if err != nil || s.Parent != os.Getppid() || s.Start == 0 || s.Ended() {
		t.Errorf("%+v, %v", s, err)
	}
	checktest.Equal(t, s.Start, musttest.Get(ReadThreadStat(pid, pid))(t).Start)
	status, err := ReadStatus(pid)
	if err != nil || status["Tgid"] != strconv.Itoa(pid) || status["TracerPid"] != "0" {
		t.Errorf("%v, %v", status, err)
	}
	exe, _ := os.Readlink(Path(pid, "exe"))
	maps, err := ReadMaps(pid)
	if err != nil || !slices.ContainsFunc(maps, func(m Mapping) bool { return m.Executable && m.Path == exe }) {
		t.Errorf("%+v, %v", maps, err)
	}
	if !slices.Contains(PIDs(), pid) {
		t.Error("this process is not in the list")
	}
	if _, err := ReadStat(1 << 30); !os.IsNotExist(err) {
		t.Errorf("of a process that does not exist: %v", err)
	}
}
