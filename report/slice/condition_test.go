package slice

import (
	"fmt"
	"testing"

	"laggard/internal/checktest"
	"laggard/slicing/since"
)

// TestDeciding: of a line that decided, the values are told that its condition had, and whether these are all.
func TestDeciding(t *testing.T) {
	for _, test := range []struct {
		text   string
		values []Value
		want   string
	}{
		{"if (left > 0) {", []Value{{"left", "103", since.Write}}, "false"},
		{"if (left > 0) {", []Value{{"left", "0", since.Call}}, "   <- now: left = 0true"},
		{"if (n > 0) MPI_Reduce(&x, &y, k);", []Value{{"n", "0", ""}, {"x", "3", ""}, {"k", "1", ""}}, "   <- n = 0true"},
		{`if (p->debug && (p -> lvl < 4 || strcmp(p->name, "f(x)") == 0) && !(p->eps > 0.5f)) {`, []Value{{"p->lvl", "5", ""},
			{"p->eps", "0.1", ""}}, "   <- p->lvl = 5, p->eps = 0.1false"},
		{"for (size_t i = 0; i < 1'000u * MAX_N && this->i_; i++)", []Value{{"i", "3", ""}, {"i_", "false", ""}},
			"   <- i = 3, i_ = falsetrue"},
		{"} else if (u[i] > 2) {", []Value{{"i", "7", ""}}, "   <- i = 7false"},
		{"if (G%N > 0 .and. me == 2) then", []Value{{"g%n", "1", ""}, {"me", "2", ""}}, "   <- g%n = 1, me = 2true"},
		{"do i = 1, n", []Value{{"i", "4", ""}, {"n", "3", ""}}, "   <- i = 4, n = 3true"},
		{"ok = n > 0 ? f(n) : 3; // m", []Value{{"ok", "4", ""}, {"n", "3", ""}, {"m", "1", ""}}, "   <- ok = 4, n = 3false"},
		{"", []Value{{"n", "3", ""}}, "true"},
	} {
		held, whole := Line{Values: test.values}.Deciding(test.text)
		checktest.Equal(t, test.want, fmt.Sprint(held, whole), test.text)
	}
}
