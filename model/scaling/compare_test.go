package scaling

import "testing"

func TestDistancesNeedAProgramThatIsForetold(t *testing.T) {
	c := &comparison{}
	c.add(compared{site: Site{}, observed: 1000})
	c.add(compared{site: Site{Feature: distanceFeature}, observed: 4, interval: Interval{Low: 1, Expected: 1, High: 1}, forecast: true})
	if d := c.deviations(); len(d) != 0 {
		t.Errorf("of a program that is not foretold: %+v", d)
	}
	c.add(compared{site: Site{}, observed: 1000, interval: Interval{Low: 1000, Expected: 1000, High: 1000}, forecast: true})
	if d := c.deviations(); len(d) != 1 || d[0].Observed != 4 {
		t.Errorf("of one that is: %+v", d)
	}
}
