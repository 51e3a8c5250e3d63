# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What `make vagrant-test` does with the machines once they are up: the article's two clients, and
# the firewall. `show MACHINE COMMAND` and `on MACHINE COMMAND` are up.sh's.

both_batches() {
    on client 'setsid -f batch 60 >batch.log 2>&1'
    on client-inband 'setsid -f batch 60 >batch.log 2>&1'
    sleep 30
}

show db 'uname -r; sudo polltrace doctor'
show db 'sudo polltrace run break-poll'

both_batches
show db 'sudo polltrace ps'
sleep 60
show client 'cat batch.log'
show client-inband 'cat batch.log'

show router 'sudo wire delay 20ms; sudo wire show'
show client 'ping -q -c 3 192.168.57.10'
show client 'batch 5'
show client-inband 'batch 5'

show router 'sudo wire clear; sudo wire urgent strip'
on client 'setsid -f batch 60 >batch.log 2>&1'
sleep 30
show db 'sudo polltrace ps'
show router 'sudo wire show'
sleep 60
show client 'cat batch.log'

show router 'sudo wire urgent drop'
show client 'timeout 120 batch 5'
show router 'sudo wire show; sudo wire clear'
