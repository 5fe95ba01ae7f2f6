package mpi

import "testing"

func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		family Family
		set    Set
		number int64
		want   int64
		ok     bool
	}{
		{OpenMPI, Locks, 1, LockExclusive, true},
		{MPICH, Locks, 234, LockExclusive, true},
		{MPICH, Locks, 235, LockShared, true},
		{Standard, Locks, 301, LockExclusive, true},
		{Standard, Locks, 302, LockShared, true},
		{MPICH, Locks, 1, 0, false},
		{MPICH, Assertions, 8192 + 4096, ModeNoprecede | ModeNoput, true},
		{Standard, Assertions, 16384, ModeNosucceed, true},
		{Standard, Assertions, 1 << 20, 0, true},
		{Standard, AccessModes, 2 + 256, ModeCreate | ModeWronly, true},
		{MPICH, AccessModes, 1 + 4, ModeCreate | ModeWronly, true},
		{Standard, Tags, -2, AnyTag, true},
		{MPICH, Peers, -2, AnySource, true},
		{"", Locks, 1, 0, false},
	} {
		got, ok := c.family.RecordedNumber(c.set, c.number)
		if got != c.want || ok != c.ok {
			t.Errorf("%s, %s %d: %d, %v; want %d, %v", c.family, c.set, c.number, got, ok, c.want, c.ok)
		}
	}
}

// TestConstants: no name and no number of a set is there twice, and bits are bits.
func TestConstants(t *testing.T) {
	type key struct {
		set    Set
		column int
		number int64
	}
	names, numbers := map[string]bool{}, map[key]string{}
	for _, c := range Constants() {
		if names[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		names[c.Name] = true
		for i, n := range c.Numbers {
			k := key{c.Set, i, n}
			if other := numbers[k]; other != "" && c.Set != "number" {
				t.Errorf("%s and %s are both %d for %s", other, c.Name, n, Families[i])
			}
			numbers[k] = c.Name
			if c.Set.IsBitmask() && (n <= 0 || n&(n-1) != 0) {
				t.Errorf("%s is no bit for %s: %d", c.Name, Families[i], n)
			}
		}
	}
	for _, set := range []Set{Locks, AccessModes, Assertions, Peers, Tags, Orders, Distributions, Errors} {
		found := false
		for _, c := range Constants() {
			found = found || c.Set == set
		}
		if !found {
			t.Errorf("the table has no constants of the set %s", set)
		}
	}
}

func TestBadConstantsAreRefused(t *testing.T) {
	for _, line := range []string{"lock lock_exclusive 1 234", "lock lock_exclusive a b c", "x"} {
		if _, err := parseConstants("# head\n" + line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}
