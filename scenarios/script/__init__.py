# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace lab sql`: scripts of SQL*Plus commands, SQL and PL/SQL, run as they stand."""
