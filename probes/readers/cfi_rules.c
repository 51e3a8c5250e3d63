// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/cfi_rules.h"

#include "kernel/unwind.h"

#define RBP 6
#define RSP 7
#define RETURN_ADDRESS 16
#define STATES 16

enum column { AT_CFA, AS_BEFORE, UNDEFINED, AT_RBP, UNKNOWN };

struct saved {
    enum column how;
    int64_t offset; // from the CFA, or from rbp
};

struct rules {
    enum unwind_cfa cfa;
    int64_t offset, addend;
    struct saved rbp, back; // of the caller's rbp, and the return address
};

struct run {
    struct cursor c;
    const struct cie *cie;
    uint64_t section, loc;
    struct rules now, initial, stack[STATES];
    unsigned depth;
};

static enum unwind_cfa base_of(uint64_t reg) {
    return reg == RSP ? CFA_RSP : reg == RBP ? CFA_RBP : CFA_UNSUPPORTED;
}

// What every linker writes for .plt: rsp + 8 + ((rip & 15) >= N) * 8.
static bool is_plt(struct cursor e, int64_t *threshold) {
    static const uint8_t HEAD[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a},
                         TAIL[] = {0x2a, 0x33, 0x24, 0x22};
    const uint8_t *data = e.data + e.at;
    uint8_t literal;

    if (e.end - e.at != sizeof(HEAD) + 1 + sizeof(TAIL) ||
        memcmp(data, HEAD, sizeof(HEAD)) != 0 ||
        memcmp(data + sizeof(HEAD) + 1, TAIL, sizeof(TAIL)) != 0)
        return false;
    literal = data[sizeof(HEAD)];
    *threshold = literal - 0x30; // DW_OP_lit0
    return literal >= 0x30 && literal < 0x40;
}

// Reads "the word at rsp or rbp + offset, + addend".
static void cfa_expression(struct run *r, struct cursor e) {
    struct rules *now = &r->now;
    uint8_t op;

    now->cfa = CFA_UNSUPPORTED;
    if (is_plt(e, &now->addend)) {
        now->cfa = CFA_PLT;
        return;
    }
    op = read_bytes(&e, 1);
    if (op != 0x76 && op != 0x77) // breg6, breg7
        return;
    now->offset = read_sleb(&e);
    now->addend = 0;
    if (read_bytes(&e, 1) != 0x06) // deref
        return;
    if (e.at < e.end && read_bytes(&e, 1) == 0x23) // plus_uconst
        now->addend = (int64_t)read_uleb(&e);
    if (e.bad || e.at != e.end)
        return;
    if (r->cie->is_signal && op == 0x77)
        now->cfa = CFA_SIGNAL;
    else
        now->cfa = op == 0x76 ? CFA_RBP_INDIRECT : CFA_RSP_INDIRECT;
}

static struct cursor block(struct cursor *c) {
    uint64_t size = read_uleb(c);
    struct cursor e = *c;

    skip(c, size);
    e.end = c->bad ? e.at : c->at;
    e.bad = c->bad;
    return e;
}

static struct saved at_expression(struct cursor e) {
    struct saved saved = {UNKNOWN, 0};

    if (read_bytes(&e, 1) != 0x76) // breg6
        return saved;
    saved.offset = read_sleb(&e);
    if (!e.bad && e.at == e.end)
        saved.how = AT_RBP;
    return saved;
}

static void put(struct run *r, uint64_t reg, struct saved saved) {
    if (reg == RBP)
        r->now.rbp = saved;
    else if (reg == RETURN_ADDRESS)
        r->now.back = saved;
}

static void put_offset(struct run *r, uint64_t reg, int64_t factored) {
    struct saved saved = {AT_CFA, 0};

    if (__builtin_mul_overflow(factored, r->cie->data_align, &saved.offset))
        saved.how = UNKNOWN;
    put(r, reg, saved);
}

static void restore(struct run *r, uint64_t reg) {
    if (reg == RBP)
        r->now.rbp = r->initial.rbp;
    else if (reg == RETURN_ADDRESS)
        r->now.back = r->initial.back;
}

static void set_base(struct run *r, uint64_t reg) {
    r->now.cfa = base_of(reg);
}

// Instructions with an opcode in the low six bits. False when the rest cannot
// be followed.
static bool extended(struct run *r, uint8_t op) {
    struct cursor *c = &r->c;
    uint64_t reg, loc;

    switch (op) {
    case 0x00: // nop
        return true;
    case 0x01: // set_loc
        loc = read_encoded(c, r->cie->encoding, r->section);
        if (loc < r->loc)
            return false;
        r->loc = loc;
        return true;
    case 0x05: // offset_extended
        reg = read_uleb(c);
        put_offset(r, reg, (int64_t)read_uleb(c));
        return true;
    case 0x06: // restore_extended
        restore(r, read_uleb(c));
        return true;
    case 0x07: // undefined
        put(r, read_uleb(c), (struct saved){UNDEFINED, 0});
        return true;
    case 0x08: // same_value
        put(r, read_uleb(c), (struct saved){AS_BEFORE, 0});
        return true;
    case 0x09: // register
    case 0x14: // val_offset, val_offset_sf
    case 0x15:
        put(r, read_uleb(c), (struct saved){UNKNOWN, 0});
        read_uleb(c);
        return true;
    case 0x0a: // remember_state
        if (r->depth == STATES)
            return false;
        r->stack[r->depth++] = r->now;
        return true;
    case 0x0b: // restore_state
        if (!r->depth)
            return false;
        r->now = r->stack[--r->depth];
        return true;
    case 0x0c: // def_cfa
        set_base(r, read_uleb(c));
        r->now.offset = (int64_t)read_uleb(c);
        return true;
    case 0x0d: // def_cfa_register
        set_base(r, read_uleb(c));
        return true;
    case 0x0e: // def_cfa_offset
        r->now.offset = (int64_t)read_uleb(c);
        return true;
    case 0x0f: // def_cfa_expression
        cfa_expression(r, block(c));
        return true;
    case 0x10: // expression
        reg = read_uleb(c);
        put(r, reg, at_expression(block(c)));
        return true;
    case 0x11: // offset_extended_sf
        reg = read_uleb(c);
        put_offset(r, reg, read_sleb(c));
        return true;
    case 0x12: // def_cfa_sf
        set_base(r, read_uleb(c));
        if (__builtin_mul_overflow(read_sleb(c), r->cie->data_align,
                                   &r->now.offset))
            return false;
        return true;
    case 0x13: // def_cfa_offset_sf
        return !__builtin_mul_overflow(read_sleb(c), r->cie->data_align,
                                       &r->now.offset);
    case 0x16: // val_expression
        put(r, read_uleb(c), (struct saved){UNKNOWN, 0});
        block(c);
        return true;
    case 0x2e: // GNU_args_size
        read_uleb(c);
        return true;
    default:
        return false;
    }
}

static bool fits(int64_t value, unsigned bits) {
    int64_t most = (INT64_C(1) << (bits - 1)) - 1;

    return value >= -most - 1 && value <= most;
}

#define UNSUPPORTED_ROW UNWIND_ROW(0, CFA_UNSUPPORTED, 0, 0, 0)

// The rule as a row of address 0.
static uint64_t row_of(const struct rules *now) {
    enum unwind_rbp how = RBP_LOST;
    int64_t factor = 0;
    uint32_t offset;

    if (now->back.how == UNDEFINED)
        return UNWIND_ROW(0, CFA_START, 0, 0, 0);
    if (now->cfa == CFA_SIGNAL) // the kernel's layout, whatever they state
        return UNWIND_ROW(0, CFA_SIGNAL, 0, 0, 0);
    if (now->back.how != AT_CFA || now->back.offset != -8)
        return UNSUPPORTED_ROW;
    if (now->rbp.how == AS_BEFORE) {
        how = RBP_KEPT;
    } else if ((now->rbp.how == AT_CFA || now->rbp.how == AT_RBP) &&
               now->rbp.offset % 8 == 0 && fits(now->rbp.offset / 8, 8)) {
        how = now->rbp.how == AT_CFA ? RBP_AT_CFA : RBP_AT_RBP;
        factor = now->rbp.offset / 8;
    }
    switch (now->cfa) {
    case CFA_RSP:
    case CFA_RBP:
        if (!fits(now->offset, 32))
            return UNSUPPORTED_ROW;
        offset = (uint32_t)now->offset;
        break;
    case CFA_RSP_INDIRECT:
    case CFA_RBP_INDIRECT:
        if (!fits(now->offset, 16) || !fits(now->addend, 16))
            return UNSUPPORTED_ROW;
        offset = (uint16_t)now->offset | (uint32_t)(uint16_t)now->addend << 16;
        break;
    case CFA_PLT:
        offset = (uint32_t)now->addend << 16;
        break;
    default:
        return UNSUPPORTED_ROW;
    }
    return UNWIND_ROW(0, now->cfa, how, factor, offset);
}

// One instruction; false when the rest cannot be followed.
static bool step(struct run *r) {
    uint8_t op = read_bytes(&r->c, 1), low = op & 0x3f;

    switch (op & 0xc0) {
    case 0x40: // advance_loc
        return !__builtin_add_overflow(r->loc, low * r->cie->code_align,
                                       &r->loc);
    case 0x80: // offset
        put_offset(r, low, (int64_t)read_uleb(&r->c));
        return true;
    case 0xc0: // restore
        restore(r, low);
        return true;
    }
    if (op >= 0x02 && op <= 0x04) // advance_loc1, 2, 4
        return !__builtin_add_overflow(
            r->loc, read_bytes(&r->c, 1u << (op - 2)) * r->cie->code_align,
            &r->loc);
    return extended(r, op);
}

static bool spend(uint64_t *budget) {
    return *budget && --*budget;
}

bool cfi_run(const struct eh_frame *section, const struct cie *cie,
             const struct fde *fde, uint64_t *budget, cfi_taker *take,
             void *argument) {
    struct run r = {
        .c = {section->data, cie->rules, cie->rules_end, false},
        .cie = cie,
        .section = section->address,
        .now = {.cfa = CFA_UNSUPPORTED,
                .rbp = {AS_BEFORE, 0},
                .back = {UNKNOWN, 0}},
    };
    uint64_t from = fde->start, loc;
    bool follows = cie->return_column == RETURN_ADDRESS;

    while (follows && r.c.at < r.c.end) {
        if (!spend(budget))
            return false;
        follows = step(&r) && !r.c.bad;
    }
    r.initial = r.now;
    r.depth = 0;
    r.loc = loc = fde->start;
    r.c = (struct cursor){section->data, fde->rules, fde->rules_end, false};
    while (follows && r.c.at < r.c.end && r.loc < fde->end) {
        uint64_t row = row_of(&r.now);

        if (!spend(budget))
            return false;
        follows = step(&r) && !r.c.bad;
        if (r.loc == loc || !follows)
            continue;
        loc = r.loc < fde->end ? r.loc : fde->end;
        take(argument, from, loc, row);
        from = loc;
    }
    if (from < fde->end)
        take(argument, from, fde->end,
             follows ? row_of(&r.now) : UNSUPPORTED_ROW);
    return true;
}
