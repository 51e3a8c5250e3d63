# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

from rich.text import Text

_HELP = """\
Keys
  Up Down PgUp PgDn Home End   select a server      Enter, Right   open it
  F4 / \\    filter: PID, instance, client, mode    Esc, Left      back; show all
  F6 s > <   sort by the next, the one before       r I            reverse
  L P B N    sort by loss, CPU, polls, PID          Space          pause, go on
  + -        slower, faster (-d at the fastest)     q F10 Ctrl-C   quit
  [ ] { }    in a recording: 10 s back and on, 60 s; + - change its speed
  1 to 7 Tab in an open server: forecast, flame, gaps, calls, now, SQL, its time
  t s        time its gaps for a second, count its calls for three: both slow it
  c          copy what to change: to the terminal's clipboard, and to a file
  R          record the selected server; again, or at the end of top: end that

Columns: all figures are over the last five seconds
  MODE     how it learns of a cancel (in-band: it polls), or if it checks its client
  CPU%     of one CPU
  POLLS/S  break polls a second of elapsed time, counted in short windows
  LOST%    of its CPU time: polls x the cost of one at this interval, measured on
           this host. 4.20?: the interval begins below a quarter (--json has it)
  CPUS     the same in CPUs; the default order
  WORST GAP  the longest time between two polls that was seen: what they are to
           find can wait as long. Timed for 0.2 s in every 15 (--no-gaps: never)
  SKIP     the engine's parameter as the server's file has it
  -        not known (yet)
h ? F1 Esc: back"""


def help_screen(width: int, height: int) -> list[Text]:
    """Exactly `height` lines of at most `width`."""
    lines = [Text(line[:width]) for line in _HELP.splitlines()[:height]]
    return lines + [Text("")] * (height - len(lines))
