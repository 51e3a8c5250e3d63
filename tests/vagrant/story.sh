# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The part of `make vagrant-test` that needs the machines up: the article's two clients, and
# the firewall. `show MACHINE COMMAND`, `expect REGEX` of what was shown and `on MACHINE COMMAND`
# are up.sh's.

# A batch in the background, until its session is there or its error is in the log. A failure here
# is seen in the output shown next.
begin_batch() {
    on "$1" 'setsid -f batch 120 >batch.log 2>&1 </dev/null' || true
    on "$1" 'until grep -q . batch.log; do sleep 1; done' || true
}
end_batch() {
    # The brackets keep the pattern from matching this command itself.
    on "$1" 'while pgrep -f "[s]cenarios.vagrant.batch" >/dev/null; do sleep 1; done' || true
    show "$1" 'cat batch.log'
    expect '^cancelled: ORA-01013'
}

show db 'uname -r; sudo polltrace doctor'
expect '^The default backend \(eBPF\) works'

begin_batch client
begin_batch client-inband
show db 'sudo polltrace ps'
expect ' 192\.168\.56\.11:[0-9]+ +out-of-band '
expect ' 192\.168\.56\.12:[0-9]+ +in-band '
end_batch client
end_batch client-inband

show router 'sudo wire delay 20ms; sudo wire show'
expect 'delay 20ms'
show client 'batch 5'
expect '^cancelled: ORA-01013'
show client-inband 'batch 5'
expect '^cancelled: ORA-01013'

show router 'sudo wire clear; sudo wire urgent strip'
begin_batch client
show db 'sudo polltrace ps'
expect ' 192\.168\.56\.11:[0-9]+ +in-band '
show router 'sudo wire show'
expect 'counter packets [1-9].* urgptr'
end_batch client

show router 'sudo wire urgent drop'
show client 'timeout 120 batch 5'
show router 'sudo wire show; sudo wire clear'
expect 'counter packets [1-9].* drop'

# Few cells and few repeats: what takes seconds on a processor takes minutes here. Of the table,
# the counts: its times are an emulator's.
show db 'sudo polltrace run break-poll --quick --only client=python-oracledb,skip=3 |
    grep -A1 -e blocks, -e "The probe" -e "Break polls" -e "  yes "'
expect '^The probe counted exactly what the server did'
expect '^  yes  Polls are consistent gets divided by the skip'
