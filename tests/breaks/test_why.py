# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a session is in-band: every cause from its evidence, with its text and its cure."""

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.breaks.break_mode import Evidence
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.breaks.why import Cause, Diagnosis, why
from polltrace.engines import engines

(ORACLE,) = [engine for engine in engines() if engine.short == "oracle"]
FILE = Path("/u01/network/admin/sqlnet.ora")
DEFAULTS = BreakSettings(path=FILE, break_poll_skip=3, disable_oob=False, skip_is_default=True)
SETTINGS = replace(DEFAULTS, oob_path=FILE)
OFF = replace(SETTINGS, disable_oob=True)
GRANTED = Evidence(local=False, catches_sigurg=True, told_of_urgent_data=True, polls_on_cpu=True)
REFUSED = replace(GRANTED, catches_sigurg=False, told_of_urgent_data=False)
UNSEEN = replace(GRANTED, told_of_urgent_data=None)


@pytest.mark.parametrize(
    ("evidence", "settings", "edited", "cause"),
    [
        (REFUSED, OFF, False, Cause.SERVER),
        (REFUSED, SETTINGS, False, Cause.CLIENT),
        (GRANTED, SETTINGS, False, Cause.PATH),
        # It was granted, so DISABLE_OOB was off when the server started, whatever the file has now.
        (GRANTED, OFF, True, Cause.PATH),
        (REFUSED, OFF, True, Cause.UNKNOWN),
        (REFUSED, SETTINGS, True, Cause.UNKNOWN),
        (UNSEEN, SETTINGS, False, Cause.UNKNOWN),
        (UNSEEN, OFF, False, Cause.SERVER),
        (replace(GRANTED, polls_on_cpu=False), OFF, False, Cause.NOT_IN_BAND),
        (replace(REFUSED, local=True), OFF, False, Cause.NOT_IN_BAND),
    ],
)
def test_cause(evidence: Evidence, settings: BreakSettings, edited: bool, cause: Cause) -> None:
    found = why(ORACLE, evidence, settings, edited=edited)
    assert found.cause is cause
    assert found.evidence
    # An uncertain cause comes with the check that settles it, a curable one with its cure.
    if cause is Cause.UNKNOWN:
        assert found.settles
    if cause in (Cause.SERVER, Cause.CLIENT, Cause.PATH):
        assert found.cure


SAID_OFF = f"{FILE} sets DISABLE_OOB=OFF"
SAID_ON = f"{FILE} sets DISABLE_OOB=ON"
TOLD = (
    "the server owns the client's socket: the kernel signals urgent data to it",
    "the server catches SIGURG",
)
NOT_TOLD = (
    "nobody owns the client's socket: the kernel signals urgent data to nobody",
    "the server does not catch SIGURG",
)
POLLS = "break polls were seen while it was on CPU"
BY_TEST = (
    "'polltrace oob-check --listen' here and 'polltrace oob-check HOST:PORT' on the client's host: "
    "whether this path carries urgent data"
)
AS_ROOT = "run as root to see the owner of its client's socket; as root, it has no client"


def test_the_servers_own_file_is_named_with_its_cure() -> None:
    assert why(ORACLE, REFUSED, OFF) == Diagnosis(
        Cause.SERVER,
        f"the server's {FILE} sets DISABLE_OOB=ON",
        (*NOT_TOLD, POLLS, SAID_ON),
        (),
        f"take DISABLE_OOB=ON out of {FILE}, unless something depends on it: sessions that "
        "connect from then on stop polling, provided that their clients ask and the path carries "
        "urgent data ('polltrace oob-check')",
    )


def test_the_included_file_that_sets_it_is_the_one_to_change() -> None:
    site = Path("/etc/oracle/site_sqlnet.ora")
    found = why(ORACLE, REFUSED, replace(OFF, oob_path=site))
    assert f"{site} sets DISABLE_OOB=ON" in found.evidence
    assert found.cure.startswith(f"take DISABLE_OOB=ON out of {site}, unless")


def test_a_default_is_not_reported_as_seen() -> None:
    evidence = why(ORACLE, REFUSED, DEFAULTS).evidence
    assert evidence[-1] == f"{FILE} does not set DISABLE_OOB=ON"


def test_a_path_without_a_client_test_is_cautioned() -> None:
    granted = replace(GRANTED, polls_on_cpu=False)
    found = why(ORACLE, granted, replace(SETTINGS, disable_oob_auto=True))
    assert (found.cause, found.caution) == (Cause.NOT_IN_BAND, "path not tested")
    assert found.settles == (BY_TEST,)
    assert found.cure.startswith(f"take DISABLE_OOB_AUTO out of {FILE}, so that")
    assert not why(ORACLE, granted, SETTINGS).caution


def test_the_client_is_to_be_asked_on_its_side() -> None:
    assert why(ORACLE, REFUSED, SETTINGS) == Diagnosis(
        Cause.CLIENT,
        "the client did not ask for out-of-band breaks (its platform, driver or sqlnet.ora)",
        (*NOT_TOLD, POLLS, SAID_OFF),
        (
            "the client's own sqlnet.ora (DISABLE_OOB) and its driver, by v$session.program ('ps "
            "--connect'): Windows clients, node-oracledb thin and whatever connects over TCPS "
            "never ask; JDBC asks unless oracle.net.disableOob, go-ora only with ENABLE_OOB",
        ),
        "have the client ask: DISABLE_OOB off on its side, or a driver that can",
    )


def test_the_path_is_to_be_tested_from_both_ends() -> None:
    assert why(ORACLE, GRANTED, SETTINGS) == Diagnosis(
        Cause.PATH,
        "it was granted out-of-band breaks and polls all the same: the path check at connect "
        "failed, so something between client and server eats urgent data",
        (*TOLD, POLLS, SAID_OFF),
        (BY_TEST,),
        "let the firewall, proxy or NAT in between pass TCP urgent data; 'polltrace oob-check' is "
        "the reproducer for the network team",
    )


def test_an_edited_file_is_no_evidence_of_what_the_server_read() -> None:
    assert why(ORACLE, REFUSED, OFF, edited=True) == Diagnosis(
        Cause.UNKNOWN,
        f"it is not known who gave it up: {FILE} was changed since the server read it",
        (*NOT_TOLD, POLLS, f"{SAID_ON}, but was changed since the server read it"),
        ("connect anew: a server that starts now reads the file as it is",),
        "",
    )


def test_without_root_the_cause_is_unknown() -> None:
    assert why(ORACLE, UNSEEN, SETTINGS) == Diagnosis(
        Cause.UNKNOWN,
        "it is not known who gave it up",
        ("no client's socket was found whose owner could be read", TOLD[1], POLLS, SAID_OFF),
        (AS_ROOT, BY_TEST),
        "",
    )
    # Nor is it known then that a session which makes no polls is out-of-band.
    unknown = why(ORACLE, replace(UNSEEN, polls_on_cpu=None), replace(SETTINGS, path=None))
    assert unknown == Diagnosis(
        Cause.NOT_IN_BAND,
        "it is unknown",
        (
            "no client's socket was found whose owner could be read",
            TOLD[1],
            "it was hardly on CPU, so the absence of break polls proves nothing",
            "the server found no sqlnet.ora, so DISABLE_OOB is off",
        ),
        (AS_ROOT,),
        "",
    )


def test_a_session_out_of_band_has_no_open_question() -> None:
    seen = replace(GRANTED, polls_on_cpu=False)
    polls = "it was on CPU and made no break poll"
    assert why(ORACLE, seen, SETTINGS) == Diagnosis(
        Cause.NOT_IN_BAND, "it is out-of-band", (*TOLD, polls, SAID_OFF), (), ""
    )
    local = ("a local session: no listener was asked", SAID_OFF)
    assert why(ORACLE, replace(GRANTED, local=True), SETTINGS) == Diagnosis(
        Cause.NOT_IN_BAND, "it is local", local, (), ""
    )
    unseen = replace(GRANTED, catches_sigurg=None)
    assert why(ORACLE, unseen, SETTINGS).evidence[1] == "the server may or may not catch SIGURG"


def test_a_session_without_evidence_is_not_blamed_on_its_client() -> None:
    """`---` in ps: set up for neither mode, and no poll though it ran."""
    found = why(ORACLE, replace(REFUSED, polls_on_cpu=False), SETTINGS)
    assert (found.cause, found.reason) == (Cause.NOT_IN_BAND, "it is unknown")
    assert found.settles == (
        "repeat it while a long call runs: only then does an in-band session poll",
    )
