// Package wire is the one codec for what analysis ranks send each other and what
// analyses store: numbers of variable length, texts, lists. A value has a single
// function that both writes and reads it, so that the two cannot disagree:
//
//	func code(c *wire.Coder, p *point) {
//		wire.Int(c, &p.x)
//		c.Text(&p.name)
//	}
//
//	data, err := wire.Encode(func(c *wire.Coder) { code(c, &p) })
//	err = wire.Decode(data, func(c *wire.Coder) { code(c, &q) })
//
// Equal values give equal bytes. A reader takes any bytes: it allocates in
// proportion to what it has read, and after its first error, which says at which
// byte, everything that it reads is zero, and lists end.
package wire
