// SPDX-License-Identifier: GPL-2.0-or-later
// The call frame rules of .eh_frame, as far as the question "where is the
// return address, and where is the caller's rbp?" needs them. The format is
// that of the Linux Standard Base, chapter 10.6, and of DWARF 4, chapter 6.4.
// Input is hostile.
#include "readers/ehframe.h"

#include <stdbool.h>
#include <string.h>

#define RSP 7
#define RBP 6
#define RETURN_ADDRESS 16
#define STATES 8
#define MAX_OFFSET INT16_MAX
#define UNSAVED INT64_MIN

struct cursor {
    const uint8_t *data;
    size_t at, end;
    bool bad;
};

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_column;
    uint8_t encoding;
    bool has_length; // augmentation data has its length in front
    size_t rules, rules_end;
};

struct rules {
    uint64_t cfa_register;
    int64_t cfa_offset;
    int64_t return_at, frame_at; // relative to the CFA, or UNSAVED
    bool known, frame_known;
};

static uint64_t read_bytes(struct cursor *c, size_t count) {
    uint64_t value = 0;

    if (c->bad || c->end - c->at < count) {
        c->bad = true;
        return 0;
    }
    memcpy(&value, c->data + c->at, count); // little-endian, as x86-64 is
    c->at += count;
    return value;
}

static uint64_t read_uleb(struct cursor *c) {
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_bytes(c, 1);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    c->bad = true;
    return 0;
}

static int64_t read_sleb(struct cursor *c) {
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_bytes(c, 1);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (byte & 0x40 && shift + 7 < 64)
                value |= ~UINT64_C(0) << (shift + 7);
            return (int64_t)value;
        }
    }
    c->bad = true;
    return 0;
}

static void skip(struct cursor *c, uint64_t count) {
    if (c->bad || c->end - c->at < count)
        c->bad = true;
    else
        c->at += count;
}

static uint64_t read_encoded(struct cursor *c, uint8_t encoding,
                             uint64_t section) {
    uint64_t here = section + c->at, value;

    switch (encoding & 0x0f) {
    case 0x00: // absolute pointer
    case 0x04: // udata8
    case 0x0c: // sdata8
        value = read_bytes(c, 8);
        break;
    case 0x02:
        value = read_bytes(c, 2);
        break;
    case 0x03:
        value = read_bytes(c, 4);
        break;
    case 0x0a:
        value = (uint64_t)(int16_t)read_bytes(c, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int32_t)read_bytes(c, 4);
        break;
    default:
        c->bad = true;
        return 0;
    }
    if ((encoding & 0x70) == 0x10)
        value += here;
    else if (encoding & 0xf0)
        c->bad = true; // relative to text, data or indirect: not on x86-64
    return value;
}

static void read_augmentation(struct cursor *c, struct cie *cie,
                              const char *letters, uint64_t section) {
    for (; *letters; letters++) {
        if (*letters == 'R')
            cie->encoding = read_bytes(c, 1);
        else if (*letters == 'L')
            skip(c, 1);
        else if (*letters == 'P')
            read_encoded(c, read_bytes(c, 1) & 0x7f, section);
        else if (*letters != 'S' && *letters != 'B')
            c->bad = true;
    }
}

// `c` stands behind the CIE's id field.
static bool read_cie(struct cursor *c, struct cie *cie, uint64_t section) {
    uint8_t version = read_bytes(c, 1);
    const char *letters = (const char *)c->data + c->at;
    uint64_t length;
    size_t after;

    *cie = (struct cie){0};
    while (read_bytes(c, 1))
        continue;
    if (c->bad || (version != 1 && version != 3))
        return false;
    cie->code_align = read_uleb(c);
    cie->data_align = read_sleb(c);
    cie->return_column = version == 1 ? read_bytes(c, 1) : read_uleb(c);
    cie->rules_end = c->end;
    if (*letters == 'z') {
        cie->has_length = true;
        length = read_uleb(c);
        after = c->at;
        read_augmentation(c, cie, letters + 1, section);
        c->at = after;
        skip(c, length);
    } else if (*letters) {
        return false;
    }
    cie->rules = c->at;
    return !c->bad;
}

static void set_rule(struct rules *r, const struct cie *cie, uint64_t reg,
                     int64_t factored) {
    int64_t at;

    if (reg != cie->return_column && reg != RBP)
        return;
    if (__builtin_mul_overflow(factored, cie->data_align, &at))
        r->known = false;
    else if (reg == RBP)
        r->frame_at = at;
    else
        r->return_at = at;
}

// rbp has the caller's value, because it was restored or never changed.
static void keep(struct rules *r, const struct cie *cie, uint64_t reg) {
    r->known &= reg != cie->return_column;
    if (reg == RBP)
        r->frame_at = UNSAVED;
}

// A rule of a kind that is not followed here.
static void forget(struct rules *r, const struct cie *cie, uint64_t reg) {
    r->known &= reg != cie->return_column;
    r->frame_known &= reg != RBP;
}

// Instructions with an opcode in the low six bits. Returns false when the
// location passes `pc` or the rules cannot be followed.
static bool extended_rule(struct cursor *c, uint8_t op, const struct cie *cie,
                          struct rules *r, uint64_t section, uint64_t *loc) {
    uint64_t reg;

    switch (op) {
    case 0x00: // nop
        break;
    case 0x01: // set_loc
        *loc = read_encoded(c, cie->encoding, section);
        break;
    case 0x02:
    case 0x03:
    case 0x04: // advance_loc1, 2, 4
        *loc += read_bytes(c, 1u << (op - 2)) * cie->code_align;
        break;
    case 0x05: // offset_extended
        reg = read_uleb(c);
        set_rule(r, cie, reg, (int64_t)read_uleb(c));
        break;
    case 0x06: // restore_extended, same_value
    case 0x08:
        keep(r, cie, read_uleb(c));
        break;
    case 0x07: // undefined
        forget(r, cie, read_uleb(c));
        break;
    case 0x09: // register
        forget(r, cie, read_uleb(c));
        read_uleb(c);
        break;
    case 0x0c: // def_cfa
        r->cfa_register = read_uleb(c);
        r->cfa_offset = (int64_t)read_uleb(c);
        break;
    case 0x0d: // def_cfa_register
        r->cfa_register = read_uleb(c);
        break;
    case 0x0e: // def_cfa_offset
        r->cfa_offset = (int64_t)read_uleb(c);
        break;
    case 0x10: // expression, val_expression
    case 0x16:
        forget(r, cie, read_uleb(c));
        skip(c, read_uleb(c));
        break;
    case 0x11: // offset_extended_sf
        reg = read_uleb(c);
        set_rule(r, cie, reg, read_sleb(c));
        break;
    case 0x14: // val_offset, val_offset_sf
    case 0x15:
        forget(r, cie, read_uleb(c));
        read_uleb(c);
        break;
    case 0x2e: // GNU_args_size
        read_uleb(c);
        break;
    default: // def_cfa_expression among them
        return false;
    }
    return true;
}

// Runs the instructions between c->at and c->end up to `pc`.
static bool run_rules(struct cursor *c, const struct cie *cie, struct rules *r,
                      uint64_t section, uint64_t loc, uint64_t pc) {
    struct rules saved[STATES];
    unsigned depth = 0;

    while (c->at < c->end && !c->bad) {
        uint8_t op = read_bytes(c, 1), low = op & 0x3f;

        if ((op & 0xc0) == 0x40) { // advance_loc
            loc += low * cie->code_align;
        } else if ((op & 0xc0) == 0x80) { // offset
            set_rule(r, cie, low, (int64_t)read_uleb(c));
        } else if ((op & 0xc0) == 0xc0) { // restore
            keep(r, cie, low);
        } else if (op == 0x0a) { // remember_state
            if (depth == STATES)
                return false;
            saved[depth++] = *r;
        } else if (op == 0x0b) { // restore_state
            if (!depth)
                return false;
            *r = saved[--depth];
        } else if (!extended_rule(c, op, cie, r, section, &loc)) {
            return false;
        }
        if (loc > pc)
            return !c->bad;
    }
    return !c->bad;
}

static bool from_rsp(const struct rules *r, int64_t at, __s16 *offset) {
    if (__builtin_add_overflow(r->cfa_offset, at, &at) || at < 0 ||
        at > MAX_OFFSET)
        return false;
    *offset = (__s16)at;
    return true;
}

static enum eh_result conclude(const struct rules *r, struct site_rule *rule) {
    if (!r->known)
        return EH_UNKNOWN;
    if (r->cfa_register == RBP)
        return EH_FRAME_POINTER;
    if (r->cfa_register != RSP || !r->frame_known ||
        !from_rsp(r, r->return_at, &rule->caller))
        return EH_UNKNOWN;
    rule->frame = SITE_FRAME_KEPT;
    if (r->frame_at != UNSAVED && !from_rsp(r, r->frame_at, &rule->frame))
        return EH_UNKNOWN;
    return EH_STACK_POINTER;
}

// `fde` stands behind the FDE's id field, `id_at` is where that field is.
static bool covers(struct cursor *fde, const struct eh_frame *section,
                   size_t id_at, uint32_t id, uint64_t pc,
                   enum eh_result *result, struct site_rule *rule) {
    struct cursor c = {section->data, 0, section->size, false};
    struct rules rules = {.return_at = 1,
                          .frame_at = UNSAVED,
                          .known = true,
                          .frame_known = true};
    uint64_t start, range, length;
    struct cie cie;

    if (id > id_at)
        return false;
    c.at = id_at - id;
    length = read_bytes(&c, 4);
    if (length == UINT32_MAX)
        length = read_bytes(&c, 8);
    if (c.bad || length < 4 || length > c.end - c.at)
        return false;
    c.end = c.at + length;
    if (read_bytes(&c, 4) != 0 || !read_cie(&c, &cie, section->address))
        return false;
    start = read_encoded(fde, cie.encoding, section->address);
    range = read_encoded(fde, cie.encoding & 0x0f, section->address);
    if (fde->bad || pc < start || pc - start >= range)
        return false;
    if (cie.has_length)
        skip(fde, read_uleb(fde));
    c.at = cie.rules;
    *result = EH_UNKNOWN;
    if (cie.return_column == RETURN_ADDRESS &&
        run_rules(&c, &cie, &rules, section->address, 0, UINT64_MAX) &&
        rules.return_at != 1 && !fde->bad &&
        run_rules(fde, &cie, &rules, section->address, start, pc))
        *result = conclude(&rules, rule);
    return true;
}

enum eh_result eh_caller(const struct eh_frame *section, uint64_t pc,
                         struct site_rule *rule) {
    struct cursor all = {section->data, 0, section->size, false};
    enum eh_result result;

    while (all.at < all.end) {
        struct cursor entry;
        uint64_t length = read_bytes(&all, 4);
        size_t id_at;
        uint32_t id;

        if (length == UINT32_MAX)
            length = read_bytes(&all, 8);
        if (all.bad || !length || length > all.end - all.at)
            return EH_UNKNOWN;
        entry = all;
        entry.end = all.at + length;
        all.at = entry.end;
        id_at = entry.at;
        id = read_bytes(&entry, 4);
        if (!entry.bad && id &&
            covers(&entry, section, id_at, id, pc, &result, rule))
            return result;
    }
    return EH_UNKNOWN;
}
