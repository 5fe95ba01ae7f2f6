package usagetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"laggard/analysis/usage/recorded"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

const transcript = `
0-1: MPI_Init()
0: MPI_Isend(buf=0x1000, count=2, dest=1, tag=7) -> request=r @ a.c:12
0: MPI_Type_vector(count=2, blocklength=1, stride=3, oldtype=MPI_DOUBLE) -> newtype=v
0: MPI_Wait(request=r)
note 0: send buffer of line 3 changed, seen at line 5
1: MPI_Recv(source=any, tag=any) -> status=(0,7,8)
1: MPI_Comm_dup() -> newcomm=c
1: MPI_Barrier(comm=c) -> …
`

// What Dump writes is a transcript of the same calls.
func TestDumpIsATranscript(t *testing.T) {
	dump := func(text string) string {
		traces := musttest.Get(Parse(text))(t)
		var b strings.Builder
		for _, trace := range traces {
			if err := Dump(&b, trace, func(s recorded.Site) string {
				return fmt.Sprintf("%s:%d", s.Stack[0].Module.Path, s.Stack[0].Offset)
			}); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	once := dump(transcript)
	checktest.Equal(t, once, dump(once), "a dump of a dump differs", once)
	if strings.Count(once, "\n") != 9 {
		t.Errorf("8 calls and a note, dumped as\n%s", once)
	}
}

func TestBadTranscripts(t *testing.T) {
	for _, bad := range []string{
		"0: MPI_Nothing()", "0: MPI_Send(dest)", "0: MPI_Send(nosuch=1)", "0: MPI_Send(dest=[1)", "what",
		"0.1: returns",
		"rank 0: colour=red", "note 0: send buffer of line 9 changed", "0: MPI_Send(datatype=nosuch)",
		"comm c 0 colour red",
	} {
		if _, err := Parse("0: MPI_Init()\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func ExampleDump() {
	traces, err := Parse("0: MPI_Barrier()")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = Dump(os.Stdout, traces[0], func(recorded.Site) string { return "ring.c:12" })
	// Output: 0: MPI_Barrier(comm=world) -> () @ ring.c:12
}
