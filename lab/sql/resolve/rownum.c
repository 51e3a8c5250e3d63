// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions on ROWNUM: `rownum <= n` among conditions joined by AND limits the
// rows. It is refused anywhere else.
#include "sql/resolve/resolver.h"

static enum sign mirrored(enum sign sign) {
    switch (sign) {
    case SIGN_LESS:
        return SIGN_GREATER;
    case SIGN_AT_MOST:
        return SIGN_AT_LEAST;
    case SIGN_GREATER:
        return SIGN_LESS;
    case SIGN_AT_LEAST:
        return SIGN_AT_MOST;
    default:
        return sign;
    }
}

struct expr *rownum_bound(const struct expr *condition, enum sign *sign) {
    if (condition->kind != EXPR_COMPARISON || condition->sign == SIGN_UNEQUAL)
        return NULL;
    *sign = condition->sign;
    if (condition->left->kind == EXPR_ROWNUM)
        return condition->right;
    *sign = mirrored(condition->sign);
    return condition->right->kind == EXPR_ROWNUM ? condition->left : NULL;
}

bool rownum_limits(const struct expr *where) {
    enum sign sign;
    if (!where)
        return false;
    if (where->kind == EXPR_AND)
        return rownum_limits(where->left) || rownum_limits(where->right);
    return rownum_bound(where, &sign);
}
