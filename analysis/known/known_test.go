package known

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestBuiltIn(t *testing.T) {
	table := musttest.Get(Load())(t)
	seen := map[string]bool{}
	for _, i := range table {
		if !strings.HasPrefix(i.Reference, "https://") || seen[i.Reference] || i.Workaround == "" {
			t.Errorf("%s: no reference, or one that another has, or no workaround", i.Title)
		}
		seen[i.Reference] = true
	}
	if len(table) < 20 {
		t.Errorf("%d issues", len(table))
	}
}

func TestMatches(t *testing.T) {
	table := musttest.Get(Load())(t)
	graph := Hang{Family: "openmpi", Versions: []string{"4.1.4"}, Calls: []string{"MPI_Dist_graph_create"},
		Frames: []string{"opal_progress", "ompi_comm_nextcid"}, Modules: []string{"/usr/lib/libmpi.so.40"}}
	with := func(change func(*Hang)) Hang { h := graph; change(&h); return h }
	for _, c := range []struct {
		name string
		hang Hang
		want string // end of the first reference; "" none
	}{
		{"graph", graph, "/13918"},
		{"elsewhere in the library", with(func(h *Hang) { h.Frames = []string{"opal_progress"} }), ""},
		{"fixed", with(func(h *Hang) { h.Versions = []string{"5.0.11"} }), ""},
		{"unknown version", with(func(h *Hang) { h.Versions = nil }), "/13918"},
		{"two versions", with(func(h *Hang) { h.Versions = []string{"4.1.4", "4.0.1"} }), "/13918"},
		{"two versions, one fixed", with(func(h *Hang) { h.Versions = []string{"4.1.4", "5.0.11"} }), ""},
		{"older than the issue", with(func(h *Hang) { h.Versions = []string{"3.1.6"} }), ""},
		{"other MPI", with(func(h *Hang) { h.Family = "mpich" }), ""},
		{"other call", with(func(h *Hang) { h.Calls = []string{"MPI_Barrier"} }), ""},
		{"one rank elsewhere", with(func(h *Hang) { h.Calls = append(h.Calls, "MPI_Recv") }), ""},
		{"module", with(func(h *Hang) {
			h.Frames, h.Modules = []string{"opal_progress"}, []string{"/usr/lib/openmpi/mca_topo_treematch.so"}
		}), "/8991"},
		{"barrier", Hang{Family: "openmpi", Versions: []string{"4.1.4"}, Calls: []string{"MPI_Barrier"},
			Frames:  []string{"mca_btl_vader_component_progress", "opal_progress"},
			Modules: []string{"/usr/lib/openmpi/mca_btl_vader.so"}}, ""},
		{"mpich barrier", Hang{Family: "mpich", Versions: []string{"4.0.2"}, Calls: []string{"MPI_Barrier"},
			Frames:  []string{"ucp_worker_progress", "MPIDI_progress_test"},
			Modules: []string{"/usr/lib/libucp.so.0", "/usr/lib/libmpich.so.12"}}, ""},
		{"hcoll", Hang{Family: "openmpi", Calls: []string{"MPI_Barrier"}, Frames: []string{"hcoll_progress"},
			Modules: []string{"/opt/libhcoll.so.1"}}, "/6917"},
		{"nothing known", Hang{}, ""},
	} {
		got := ""
		if m := table.Matches(c.hang); len(m) > 0 {
			got = m[0].Reference
			said := slices.ContainsFunc(m[0].Why, func(w string) bool { return strings.HasSuffix(w, "unknown") })
			if said != (len(c.hang.Versions) == 0 && len(m[0].Versions) > 0) {
				t.Errorf("%s: because of %q", c.name, m[0].Why)
			}
		}
		if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		version, want string
		in            bool
	}{
		{"4.1.4", "4.1", true}, {"4.1", "4.1.0", false}, {"4.10.0", "4.1", false}, {"4.0.9", "4.0-4.1.4", true},
		{"4.1.5", "4.0-4.1.4", false}, {"4.1.5", "4.0-4.1", true}, {"3.9", "4.0-4.1", false}, {"x", "4.1", false},
	} {
		if versionWithin(c.version, c.want) != c.in {
			t.Errorf("%s in %s: want %t", c.version, c.want, c.in)
		}
	}
	checktest.Equal(t, "4.1.4", VersionIn("Open MPI v4.1.4, package: Debian OpenMPI"), "version")
	checktest.Equal(t, "4.0.2", VersionIn("MPICH Version: 4.0.2"), "version")
}

func TestBadTables(t *testing.T) {
	const head = "[[issue]]\ntitle='t'\nreference='https://x'\n"
	for _, text := range []string{
		"[[issue]]\ntitle='t'\ncalls=['MPI_Recv']\n", head, head + "calls=['a']\nmpi='lam'\n",
		head + "calls=['a']\nversions=['4']\n", head + "calls=['a']\nmpi='mpich'\nversions=['new']\n",
		head + "calls=['a']\ncolour='red'\n", "[[issue]\n",
	} {
		checktest.Fails(parseTable(text))(t, ErrTable, text)
	}
	own := filepath.Join(t.TempDir(), "own.toml")
	musttest.Succeed(t, os.WriteFile(own, []byte(head+"calls=['MPI_Recv']\n"), 0o600))
	table, err := Load(own)
	if err != nil || table[0].Title != "t" {
		t.Errorf("a table of one's own: %v, %v", table[:1], err)
	}
	checktest.Fails(Load(own+"none"))(t, os.ErrNotExist, "a file that is not there")
}

// FuzzParse: any text is a table of issues that each say something, or an error.
func FuzzParse(f *testing.F) {
	f.Add("[[issue]]\nid = \"x\"\ntitle = \"t\"\nmpi = \"mpich\"\n" +
		"versions = [\"4.0-4.1.4\", \"9\"]\ncalls = [\"MPI_Bcast\"]\n")
	f.Add("[[issue]]\nversions = [\"-\"]\n[issue.x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := parseTable(text)
		if err != nil && !errors.Is(err, ErrTable) {
			t.Errorf("error %v", err)
		}
		for i := range table {
			if err == nil && table[i].check() != nil {
				t.Errorf("issue %d says nothing", i+1)
			}
		}
	})
}
