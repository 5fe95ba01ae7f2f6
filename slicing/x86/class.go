package x86

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/arch/x86/x86asm"
)

// class says what the instructions of an opcode have in common.
type class struct {
	reads, writes        bool // the first operand
	both                 bool // the second operand is treated as the first
	setsFlags, usesFlags bool
	keeps                bool // it may leave its target as it was
	half                 bool // it moves half a vector: a register keeps the other half, and memory is not read
	zeroes               bool // gives zero for equal operands
	jump                 bool // a conditional jump
	x87                  bool
	str                  stringUse
}

// stringUse says which of the implied operands a string instruction uses.
type stringUse uint8

const (
	readsSource stringUse = 1 << iota
	readsTarget
	writesTarget
	readsA
	writesA
)

// classes is by opcode; x86asm has some fifteen hundred. They are made when the first
// instruction is decoded, which most commands never come to.
var classes = sync.OnceValue(func() (out []class) {
	for op := x86asm.Op(0); ; op++ {
		name := op.String()
		if strings.HasPrefix(name, "Op(") && op > 0 { // behind the last one
			return out
		}
		out = append(out, classifyOp(name))
	}
})

func classOf(op x86asm.Op) class {
	if known := classes(); int(op) < len(known) {
		return known[op]
	}
	return class{reads: true, writes: true, setsFlags: true}
}

func classifyOp(name string) class {
	c := class{reads: true, writes: true}
	is := func(names string) bool { return slices.Contains(strings.Fields(names), name) }
	starts := func(prefixes string) bool {
		return slices.ContainsFunc(strings.Fields(prefixes), func(p string) bool { return strings.HasPrefix(name, p) })
	}
	vex := strings.HasPrefix(name, "V") && !is("VERR VERW")
	switch {
	case is("NOP CLFLUSH") || starts("PREFETCH"):
		c.reads, c.writes = false, false
	case is("CMP TEST BT PTEST LDMXCSR VLDMXCSR FLDCW MUL DIV IDIV VPTEST FLDENV FXRSTOR XRSTOR") ||
		starts("UCOMIS COMIS VUCOMIS VCOMIS VTESTP KTEST KORTEST"):
		c.writes = false
	case is("MOVLPS MOVLPD MOVHPS MOVHPD MOVLHPS MOVHLPS PSHUFB PINSRB"):
	case starts("MOV CVT SET SQRT PSHUF PABS PMOV ROUND PEXTR RCP RSQRT KMOV BLS BEXTR PDEP PEXT SHLX "+
		"SHRX SARX RORX BZHI ANDNL RDFSBASE RDGSBASE") ||
		is("LEA LZCNT TZCNT POPCNT BSF BSR EXTRACTPS LDDQU POP STMXCSR FNSTCW FNSTSW FNSAVE "+
			"FNSTENV RDRAND RDSEED ANDN MULX IN FST FSTP FIST FISTP FISTTP FBSTP LAR LSL STR SMSW "+
			"SLDT"):
		c.reads = false
	case vex:
		c.reads = starts("VFM VFNM VPERMI2 VPERMT2 VPDPB VPDPW VPTERNLOG VPMADD52")
	case is("XCHG XADD"):
		c.both = true
	}
	c.setsFlags = is("ADD SUB AND OR XOR INC DEC NEG CMP TEST SHL SHR SAR ROL ROR RCL RCR SHLD SHRD ADC SBB "+
		"IMUL MUL DIV IDIV BT BTC BTR BTS "+
		"BSF BSR LZCNT TZCNT POPCNT CMPXCHG CMPXCHG8B CMPXCHG16B XADD PTEST SAHF POPF POPFD "+
		"POPFQ CLC STC CMC RDRAND RDSEED "+
		"ANDN BEXTR BZHI BLSI BLSR BLSMSK ADCX ADOX VPTEST FCOMI FCOMIP FUCOMI FUCOMIP CMPSB "+
		"CMPSW CMPSD CMPSQ SCASB SCASW SCASD SCASQ "+
		"PCMPESTRI PCMPESTRM PCMPISTRI PCMPISTRM ARPL LAR LSL VERR VERW XTEST") ||
		starts("UCOMIS COMIS VUCOMIS VCOMIS VTESTP KTEST KORTEST")
	c.jump = strings.HasPrefix(name, "J") && !is("JMP")
	c.usesFlags = c.jump || starts("SET CMOV FCMOV") ||
		is("ADC SBB RCL RCR LAHF PUSHF PUSHFD PUSHFQ CMC ADCX ADOX LOOPE LOOPNE")
	c.keeps = starts("CMOV FCMOV")
	c.half = is("MOVLPS MOVLPD MOVHPS MOVHPD")
	c.zeroes = is("XOR SUB PXOR XORPS XORPD PSUBB PSUBW PSUBD PSUBQ VPXOR VXORPS VXORPD VPXORD VPXORQ")
	c.x87 = strings.HasPrefix(name, "F") && !is("FXSAVE FXRSTOR FXSAVE64 FXRSTOR64 FWAIT FNOP FLDCW FNSTCW")
	if c.x87 && c.reads {
		c.writes = false // what it changes is the stack, which stands for itself
	}
	c.str = stringClass(name)
	return c
}

func stringClass(name string) stringUse {
	if len(name) != 5 || !strings.ContainsAny(name[4:], "BWDQ") {
		return 0
	}
	switch name[:4] {
	case "MOVS":
		return readsSource | writesTarget
	case "STOS":
		return writesTarget | readsA
	case "LODS":
		return readsSource | writesA
	case "CMPS":
		return readsSource | readsTarget
	case "SCAS":
		return readsTarget | readsA
	}
	return 0
}
