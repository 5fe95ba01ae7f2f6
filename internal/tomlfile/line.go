package tomlfile

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// KeyLine finds the line of a key, which the TOML package tells for syntax
// errors only: the first that sets it, or else the nearest table around it.
func KeyLine(text string, key toml.Key) int {
	want, table, nearest := strings.Join(key, "."), "", 1
	for i, line := range strings.Split(text, "\n") {
		left, _, sets := strings.Cut(line, "=")
		name := strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(left)
		switch {
		case strings.HasPrefix(name, "["):
			table, _, _ = strings.Cut(strings.TrimLeft(name, "["), "]")
			name = table
		case !sets:
			continue
		case table != "":
			name = table + "." + name
		}
		if name == want {
			return i + 1
		}
		if strings.HasPrefix(want, name+".") {
			nearest = i + 1
		}
	}
	return nearest
}
