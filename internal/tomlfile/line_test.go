package tomlfile

import (
	"testing"

	"github.com/BurntSushi/toml"

	"laggard/internal/checktest"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		key        toml.Key
		want       int
	}{
		{"top", "a = 1\nb = 2\n", toml.Key{"b"}, 2},
		{"in a table", "[run]\nx = 1\n[recorder]\nx = 1\n", toml.Key{"recorder", "x"}, 4},
		{"the same name elsewhere", "[recorder]\ny = 1\n[run]\n# x = 1\nx = 1\n", toml.Key{"run", "x"}, 5},
		{"a table itself", "\n[run]\n[nosuch]\nx = 1\n", toml.Key{"nosuch"}, 3},
		{"a table with a comment", "[run] # of things\nx = 1\n", toml.Key{"run", "x"}, 2},
		{"a table of tables", "[[nosuch]]\nx = 1\n", toml.Key{"nosuch"}, 1},
		{"dotted", "a = 1\nrun.x = 1\n", toml.Key{"run", "x"}, 2},
		{"dotted in a table", "[a]\nb . c = 1\n", toml.Key{"a", "b", "c"}, 2},
		{"quoted", "[run]\n\"x\" = 1\n'y' = 2\n", toml.Key{"run", "y"}, 3},
		{"blanks", "  [ run ]\n\tx=1\n", toml.Key{"run", "x"}, 2},
		{"inline: the table around it", "a = 1\nrun = { x = 1 }\n", toml.Key{"run", "x"}, 2},
		{"nowhere", "a = 1\n", toml.Key{"run", "x"}, 1},
	} {
		checktest.Equal(t, c.want, KeyLine(c.text, c.key), c.name, "line")
	}
}
