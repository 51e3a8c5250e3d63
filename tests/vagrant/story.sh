# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What `make vagrant-test` does with the machines once they are up: the article's two clients, and
# the firewall. `show MACHINE COMMAND` and `on MACHINE COMMAND` are up.sh's.

# A batch in the background, until its session is there or it said why not.
begin_batch() {
    on "$1" 'setsid -f batch 120 >batch.log 2>&1 </dev/null'
    on "$1" 'until grep -q . batch.log; do sleep 1; done'
}
end_batch() {
    # Not in so many words, which are this command's own as well.
    on "$1" 'while pgrep -f "[s]cenarios.vagrant.batch" >/dev/null; do sleep 1; done'
    show "$1" 'cat batch.log'
}

show db 'uname -r; sudo polltrace doctor'

begin_batch client
begin_batch client-inband
show db 'sudo polltrace ps'
end_batch client
end_batch client-inband

show router 'sudo wire delay 20ms; sudo wire show'
show client 'batch 5'
show client-inband 'batch 5'

show router 'sudo wire clear; sudo wire urgent strip'
begin_batch client
show db 'sudo polltrace ps'
show router 'sudo wire show'
end_batch client

show router 'sudo wire urgent drop'
show client 'timeout 120 batch 5'
show router 'sudo wire show; sudo wire clear'

# Few cells and few repeats: what takes seconds on a processor takes minutes here. Of the table,
# what was counted: its times are an emulator's.
show db 'sudo polltrace run break-poll --quick --only client=python-oracledb,skip=3 |
    grep -A1 -e blocks, -e "The probe" -e "Break polls" -e "  yes "'
