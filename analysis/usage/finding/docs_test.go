package finding

import (
	"os"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// The documentation lists the classes as they are, in their order.
func TestClassesAreDocumented(t *testing.T) {
	text := musttest.Get(os.ReadFile("../../../docs/manual/usage.md"))(t)
	at := 0
	for _, c := range Classes {
		row := "| `" + c.Name + "` | " + c.Severity + " | " + strings.TrimPrefix(c.Standard, "MPI-3.1 ") + " |"
		i := strings.Index(string(text), row)
		if i < at {
			t.Errorf("docs/manual/usage.md lacks %q, or has it out of order", row)
			continue
		}
		at = i
		if c.Means == "" || c.Change == "" {
			t.Errorf("%s says too little", c.Name)
		}
	}
}
