// SPDX-License-Identifier: GPL-2.0-or-later
// The constants of TTC: the numbers of functions and messages, and the bits of
// their fields.
#ifndef ORALAB_MESSAGES_H
#define ORALAB_MESSAGES_H

enum call {           // TTC functions, and one of our own
    CALL_SESSION = 0, // the session as a whole
    CALL_REEXECUTE = 4,
    CALL_FETCH = 5,
    CALL_LOGOFF = 9,
    CALL_COMMIT = 14,
    CALL_ROLLBACK = 15,
    CALL_VERSION = 59,
    CALL_REEXECUTE_AND_FETCH = 78,
    CALL_EXECUTE = 94,
    CALL_LOB = 96,
    CALL_CLOSE_CURSORS = 105,
    CALL_AUTH_2 = 115,
    CALL_AUTH_1 = 118,
    CALL_CANCEL_CURSORS = 120,
    CALL_END_TO_END = 135,
    CALL_PING = 147,
    CALL_SET_SCHEMA = 152,
};

enum message { // first byte of a TTC message
    MESSAGE_PROTOCOL = 1,
    MESSAGE_DATA_TYPES = 2,
    MESSAGE_FUNCTION = 3,
    MESSAGE_ERROR = 4,
    MESSAGE_ROW_HEADER = 6,
    MESSAGE_ROW_DATA = 7,
    MESSAGE_PARAMETER = 8,
    MESSAGE_STATUS = 9,
    MESSAGE_IO_VECTOR = 11,
    MESSAGE_LOB_DATA = 14,
    MESSAGE_WARNING = 15,
    MESSAGE_DESCRIBE = 16,
    MESSAGE_PIGGYBACK = 17,
    MESSAGE_BIT_VECTOR = 21,
    MESSAGE_IMPLICIT_RESULTS = 27,
    MESSAGE_NETWORK_SERVICES = 0xde, // of Oracle Net: 0xdeadbeef
};

enum { // of an execution
    OPTION_PARSE = 0x01,
    OPTION_BIND = 0x08,
    OPTION_DEFINE = 0x10,
    OPTION_EXECUTE = 0x20,
    OPTION_FETCH = 0x40,
    OPTION_COMMIT = 0x100,
    OPTION_ALL_VALUES = 0x400, // the binds that RETURNING sets have some, too
    OPTION_NOT_PLSQL = 0x8000,
    OPTION_DESCRIBE = 0x20000,
    OPTION_BATCH_ERRORS = 0x80000,
    OPTION_COMMIT_AGAIN = 0x01, // in the second word of a re-execute

    AL8_ITERATIONS = 1,
    AL8_IS_QUERY = 7,
    AL8_FLAGS = 9,
    AL8_ORIENTATION = 10,
    AL8_POSITION = 11,
    AL8_LENGTH = 13,
};

enum { // of data types, in the message about them
    DATA_TYPES_TEXT_HAS_LENGTH = 2,
};

enum { FLAG_SCROLLABLE = 0x02, FLAG_ROW_COUNTS = 0x4000 };

enum { // where a scrollable cursor is fetched from
    FETCH_CURRENT = 0x01,
    FETCH_FIRST = 0x04,
    FETCH_LAST = 0x08,
    FETCH_ABSOLUTE = 0x20,
    FETCH_RELATIVE = 0x40,
};

enum { CALL_STATUS_IN_TRANSACTION = 2 };

#endif
