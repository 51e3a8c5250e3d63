# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a session is in-band: the cause, the evidence for it, the decisive check, the cure.

Both sides decide: the client asks for out-of-band breaks in its CONNECT, the server grants them
in its ACCEPT unless its configuration forbids it, and only then makes itself the owner of the
socket's urgent data. From 19c on the client then sends an urgent byte to see whether the path
carries it, and where it does not the server polls from then on, while owner and handler stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.engines import Engine


class Cause(Enum):
    """JSON's name."""

    SERVER = "server-disabled"
    CLIENT = "client-never-asked"
    PATH = "path-eats-urgent-data"
    UNKNOWN = "unknown"
    INTERVAL = "interval-set"
    COUNT = "count-set"
    OFF = "interval-off"
    NO_CHECK = "engine-never-checks"
    NOT_IN_BAND = "not-in-band"


_SHORT = {
    Cause.CLIENT: "client never asked",
    Cause.PATH: "path eats urgent data",
    Cause.UNKNOWN: "?",
    Cause.INTERVAL: "interval set",
    Cause.COUNT: "count set",
    Cause.OFF: "no check came",
    Cause.NO_CHECK: "engine never checks",
    Cause.NOT_IN_BAND: "",
}


def short(cause: Cause, engine: Engine) -> str:
    """A cause in the width of a column."""
    if cause is Cause.SERVER:
        return f"server {engine.disable_oob_parameter}"
    return _SHORT[cause]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The `cause` of in-band breaks. `reason` completes "it is in-band because …"; `evidence` is a
    sentence for each fact seen, `settles` the check that would decide it, `cure` the change to make
    (empty: none is known). `caution` qualifies the break mode itself, in a few words."""

    cause: Cause
    reason: str
    evidence: tuple[str, ...]
    settles: tuple[str, ...]
    cure: str
    caution: str = ""


def why(
    engine: Engine, evidence: Evidence, settings: BreakSettings, *, edited: bool = False
) -> Diagnosis:
    """The likeliest cause. `edited`: the configuration file was changed after the server had read
    it."""
    mode = break_mode(evidence)
    facts = (*_evidence(evidence), _said(engine, settings, edited))
    if mode is not BreakMode.IN_BAND:
        return _not_in_band(engine, evidence, settings, facts)
    if evidence.told_of_urgent_data and evidence.catches_sigurg:
        return _by_path(facts)  # the server granted it, whatever its file has now
    if edited:
        return Diagnosis(
            Cause.UNKNOWN,
            f"it is not known who gave it up: {settings.path} was changed since the server read it",
            facts,
            ("connect anew: a server that starts now reads the file as it is",),
            "",
        )
    if settings.disable_oob:
        return _by_server(engine, settings, facts)
    if settings.problem or evidence.told_of_urgent_data is None:
        hint = () if settings.problem else (_AS_ROOT,)
        return Diagnosis(
            Cause.UNKNOWN, "it is not known who gave it up", facts, (*hint, _BY_TEST), ""
        )
    return _by_client(engine, facts)


def _not_in_band(
    engine: Engine, evidence: Evidence, settings: BreakSettings, facts: tuple[str, ...]
) -> Diagnosis:
    mode = break_mode(evidence)
    if mode is not BreakMode.OUT_OF_BAND or not settings.disable_oob_auto:
        settles = () if mode is not BreakMode.UNKNOWN else (_settles_unknown(evidence),)
        return Diagnosis(Cause.NOT_IN_BAND, f"it is {mode.value}", facts, settles, "")
    parameter = f"{engine.disable_oob_parameter}_AUTO"
    return Diagnosis(
        Cause.NOT_IN_BAND,
        "it is out-of-band, path not tested",
        (*facts, f"{settings.path} sets {parameter}: no client tests its path as it connects"),
        (_BY_TEST,),
        f"take {parameter} out of {settings.path}, so that a client whose path loses urgent data "
        "falls back to in-band breaks instead of losing its cancels",
        "path not tested",
    )


def _by_path(facts: tuple[str, ...]) -> Diagnosis:
    return Diagnosis(
        Cause.PATH,
        "it was granted out-of-band breaks and polls all the same: the path check at connect "
        "failed, so something between client and server eats urgent data",
        facts,
        (_BY_TEST,),
        "let the firewall, proxy or NAT in between pass TCP urgent data; 'polltrace oob-check' "
        "is the reproducer for the network team",
    )


def _by_client(engine: Engine, facts: tuple[str, ...]) -> Diagnosis:
    return Diagnosis(
        Cause.CLIENT,
        "the client did not ask for out-of-band breaks (its platform, driver or "
        f"{engine.configuration_file or 'configuration'})",
        facts,
        (engine.clients_tell,) if engine.clients_tell else (),
        f"have the client ask: {engine.disable_oob_parameter} off on its side, or a driver that can"
        if engine.disable_oob_parameter
        else "have the client ask",
    )


def _by_server(engine: Engine, settings: BreakSettings, facts: tuple[str, ...]) -> Diagnosis:
    parameter = engine.disable_oob_parameter
    return Diagnosis(
        Cause.SERVER,
        f"the server's {settings.disabled_in} sets {parameter}=ON",
        facts,
        (),
        f"take {parameter}=ON out of {settings.disabled_in}, unless something depends on it: "
        "sessions that connect from then on stop polling, provided that their clients ask and "
        "the path carries urgent data ('polltrace oob-check')",
    )


def _settles_unknown(evidence: Evidence) -> str:
    return _AS_ROOT if evidence.told_of_urgent_data is None else _DURING_A_CALL


_DURING_A_CALL = "repeat it while a long call runs: only then does an in-band session poll"
_AS_ROOT = "run as root to see the owner of its client's socket; as root, it has no client"
_BY_TEST = (
    "'polltrace oob-check --listen' here and 'polltrace oob-check HOST:PORT' on the client's host: "
    "whether this path carries urgent data"
)


def _evidence(evidence: Evidence) -> tuple[str, ...]:
    owner = {
        True: "the server owns the client's socket: the kernel signals urgent data to it",
        False: "nobody owns the client's socket: the kernel signals urgent data to nobody",
        None: "no client's socket was found whose owner could be read",
    }
    polls = {
        True: "break polls were seen while it was on CPU",
        False: "it was on CPU and made no break poll",
        None: "it was hardly on CPU, so the absence of break polls proves nothing",
    }
    if evidence.local:
        return ("a local session: no listener was asked",)
    catches = {True: "catches", False: "does not catch", None: "may or may not catch"}
    return (
        owner[evidence.told_of_urgent_data],
        f"the server {catches[evidence.catches_sigurg]} SIGURG",
        polls[evidence.polls_on_cpu],
    )


def _said(engine: Engine, settings: BreakSettings, edited: bool) -> str:
    parameter = engine.disable_oob_parameter
    if settings.problem:
        return f"{settings.path or engine.configuration_file} was not read: {settings.problem}"
    if settings.path is None:
        return f"the server found no {engine.configuration_file}, so {parameter} is off"
    if settings.disable_oob or settings.oob_path:
        state = "ON" if settings.disable_oob else "OFF"
        value = f"{settings.disabled_in} sets {parameter}={state}"
    else:
        value = f"{settings.path} does not set {parameter}=ON"
    return f"{value}, but was changed since the server read it" if edited else value
