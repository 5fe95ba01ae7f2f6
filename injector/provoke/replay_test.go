package provoke

import (
	"os"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestUnmade: a run that made none of the choices of a schedule is no replay, and if the program is another build that is why.
func TestUnmade(t *testing.T) {
	site := Site{BuildID: "0a", Path: "/home/u/app", Offset: 7}
	schedule := &Schedule{Rules: []Rule{{Kind: "send", Rank: 1, Site: site}}}
	ranksOf := func(modules ...*model.Module) []*model.Rank { return []*model.Rank{{Modules: modules}} }
	same, other := &model.Module{BuildID: "0a", Path: "/home/v/app"}, &model.Module{BuildID: "0b", Path: "/home/v/app"}
	const rebuilt = "app has another build ID than when its choices were found; laggard provoke finds them anew"
	const elsewhere = "the program did not come to their calls"
	for name, test := range map[string]struct {
		journal, want string
		schedule      *Schedule
		ranks         []*model.Rank
	}{
		"no journal":    {"", "", schedule, ranksOf(other)},
		"made":          {"send 1 1f 1 0 1f\n", "", schedule, ranksOf(same)},
		"no choices":    {"\n", "", &Schedule{}, ranksOf(other)},
		"another build": {"\n", rebuilt, schedule, ranksOf(&model.Module{BuildID: "0c", Path: "/lib/libmpi.so"}, other)},
		"same build":    {"\n", elsewhere, schedule, ranksOf(same)},
		"another name":  {"\n", elsewhere, schedule, ranksOf(&model.Module{BuildID: "0b", Path: "/home/v/b"})},
		"of all sites":  {"\n", "", &Schedule{Rules: []Rule{{Kind: "send", Rank: EveryRank}}}, ranksOf(other)},
	} {
		run := &model.Run{Dir: t.TempDir(), Ranks: test.ranks}
		if test.journal != "" {
			musttest.Succeed(t, os.WriteFile(ScheduleFile(run.Dir)+".made-3", []byte(test.journal), 0o600))
		}
		checktest.Equal(t, test.want, musttest.Get(test.schedule.Unmade(run))(t), name)
	}
}
