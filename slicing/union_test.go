package slicing_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
)

// scripted has a slice ready for each rank.
type scripted map[int][]int

func (scripted) Name() string { return "scripted" }

func (s scripted) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	lines, ok := s[c.Rank]
	if !ok {
		return slicing.Slice{}, slicing.ErrNothing
	}
	var out slicing.Slice
	for _, n := range lines {
		out.Lines = append(out.Lines, slicing.Line{File: "a.c", Line: n})
	}
	return out, nil
}

func (scripted) Branch(context.Context, []model.Frame, []model.Frame, []model.Frame) (slicing.Branch, error) {
	return slicing.Branch{}, slicing.ErrNothing
}

func rankCriteria(ranks ...int) (out []slicing.Criterion) {
	for _, r := range ranks {
		out = append(out, slicing.Criterion{Rank: r})
	}
	return out
}

// TestUnion: each step says what it adds, and one that fails does not end it.
func TestUnion(t *testing.T) {
	s := scripted{3: {5, 7}, 1: {7, 9}, 0: {5}}
	steps := slicing.Union(context.Background(), s, rankCriteria(3, 2, 1, 0), slicing.Budget{}, nil)
	want := [][]bool{{true, true}, nil, {false, true}, {false}}
	musttest.Equal(t, len(want), len(steps), "steps")
	for i, w := range want {
		if !slices.Equal(steps[i].New, w) || (steps[i].Err != nil) != (i == 1) {
			t.Errorf("step %d: %+v", i, steps[i])
		}
	}
	if !errors.Is(steps[1].Err, slicing.ErrNothing) {
		t.Error(steps[1].Err)
	}
}

// slow takes all the time it is given.
type slow struct{ scripted }

func (s slow) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	time.Sleep(b.Time)
	return s.scripted.Slice(ctx, c, b)
}

// TestUnionTime: the time is for all criteria; the first has its share of it.
func TestUnionTime(t *testing.T) {
	s := slow{scripted{0: {1}, 1: {2}}}
	steps := slicing.Union(context.Background(), s, rankCriteria(0, 1), slicing.Budget{Time: 5 * time.Millisecond}, nil)
	if len(steps) != 1 || len(steps[0].Slice.Lines) != 1 {
		t.Errorf("%+v", steps)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if steps := slicing.Union(ctx, s, rankCriteria(0, 1), slicing.Budget{Time: time.Second}, nil); len(steps) != 0 {
		t.Errorf("cancelled: %+v", steps)
	}
}

// long finds another line each second.
type long struct {
	scripted
	needs time.Duration
}

func (l long) Slice(_ context.Context, _ slicing.Criterion, b slicing.Budget) (out slicing.Slice, err error) {
	for n := range min(b.Time, l.needs) / time.Second {
		out.Lines = append(out.Lines, slicing.Line{File: "a.c", Line: int(n) + 1})
	}
	out.Unfinished = b.Time < l.needs
	return out, nil
}

// TestNearest: of a search that takes long, the nearest lines are told first, once; a short one is not begun twice.
func TestNearest(t *testing.T) {
	for needs, want := range map[time.Duration][]int{time.Second: nil, 3 * time.Second: {1}, time.Minute: {1}} {
		var told []int
		nearest := func(found slicing.Slice) { told = append(told, len(found.Lines)) }
		budget := slicing.Budget{Time: 10500 * time.Millisecond}
		steps := slicing.Union(context.Background(), long{needs: needs}, rankCriteria(0, 1), budget, nearest)
		if !slices.Equal(want, told) || len(steps) != 2 || len(steps[0].Slice.Lines) != int(min(needs, budget.Time)/time.Second) {
			t.Errorf("%v: %d told, %+v", needs, told, steps)
		}
	}
}
