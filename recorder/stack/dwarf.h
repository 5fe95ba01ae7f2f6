/* Numbers of DWARF call frame information: DWARF 4 §6.4.2 and §7.23 (instructions),
 * §7.7.1 (operations), LSB 5 §10.5 (pointer forms), AADWARF64 (aarch64). Those of registers
 * are in machine/. */
#pragma once

/* Instructions with an operand in their low six bits, by the high two. */
enum { DW_CFA_advance_loc = 1, DW_CFA_offset = 2, DW_CFA_restore = 3 };

enum { /* the others */
  DW_CFA_nop = 0x00,
  DW_CFA_set_loc = 0x01,
  DW_CFA_advance_loc1 = 0x02,
  DW_CFA_advance_loc2 = 0x03,
  DW_CFA_advance_loc4 = 0x04,
  DW_CFA_offset_extended = 0x05,
  DW_CFA_restore_extended = 0x06,
  DW_CFA_undefined = 0x07,
  DW_CFA_same_value = 0x08,
  DW_CFA_register = 0x09,
  DW_CFA_remember_state = 0x0a,
  DW_CFA_restore_state = 0x0b,
  DW_CFA_def_cfa = 0x0c,
  DW_CFA_def_cfa_register = 0x0d,
  DW_CFA_def_cfa_offset = 0x0e,
  DW_CFA_def_cfa_expression = 0x0f,
  DW_CFA_expression = 0x10,
  DW_CFA_offset_extended_sf = 0x11,
  DW_CFA_def_cfa_sf = 0x12,
  DW_CFA_def_cfa_offset_sf = 0x13,
  DW_CFA_val_offset = 0x14,
  DW_CFA_val_offset_sf = 0x15,
  DW_CFA_val_expression = 0x16,
  DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
  DW_CFA_AARCH64_negate_ra_state = 0x2d, /* the return address is signed from here on, or no longer */
  DW_CFA_GNU_args_size = 0x2e,
};

#define DW_LENGTH_64 0xffffffffu /* the length of an entry in the 64-bit format, which is not read */

enum { /* operations of expressions */
  DW_OP_deref = 0x06,
  DW_OP_const1u = 0x08,
  DW_OP_const1s = 0x09,
  DW_OP_const2u = 0x0a,
  DW_OP_const4u = 0x0c,
  DW_OP_constu = 0x10,
  DW_OP_consts = 0x11,
  DW_OP_and = 0x1a,
  DW_OP_minus = 0x1c,
  DW_OP_mul = 0x1e,
  DW_OP_plus = 0x22,
  DW_OP_plus_uconst = 0x23,
  DW_OP_shl = 0x24,
  DW_OP_ge = 0x2a,
  DW_OP_lit0 = 0x30,
  DW_OP_lit31 = 0x4f,
  DW_OP_breg0 = 0x70,
  DW_OP_breg31 = 0x8f,
  DW_OP_bregx = 0x92,
};

enum { /* forms of a pointer: how it is written, and what is added to it */
  DW_EH_PE_absptr = 0x00,
  DW_EH_PE_uleb128 = 0x01,
  DW_EH_PE_udata2 = 0x02,
  DW_EH_PE_udata4 = 0x03,
  DW_EH_PE_udata8 = 0x04,
  DW_EH_PE_sleb128 = 0x09,
  DW_EH_PE_sdata2 = 0x0a,
  DW_EH_PE_sdata4 = 0x0b,
  DW_EH_PE_sdata8 = 0x0c,
  DW_EH_PE_written = 0x0f, /* mask of the above */
  DW_EH_PE_pcrel = 0x10,
  DW_EH_PE_datarel = 0x30,
  DW_EH_PE_added = 0x70, /* mask of the two above */
  DW_EH_PE_indirect = 0x80,
  DW_EH_PE_omit = 0xff,
};
