#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/packages/system.sh: runs as root at the end of each boot of the system that
# scripts/check-system builds, and prints TAP. /mnt has the packages in two versions, as the
# repositories old and new. The machine is turned off at the end.
set -uo pipefail

# shellcheck source=scripts/tap.sh
. /mnt/tap.sh
kernel=$(uname -r)
provider=b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13
packages=(etw-dkms etw-tools libetw-dev libetw0 libtdh0)
export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd /mnt || exit

# step NAME COMMAND...: a test; it shows the output of a command that fails.
step() { tap_step /mnt/out "$@"; }

# said TEXT: prints nothing if the last step printed that.
said() { grep -qF -- "$1" /mnt/out || { printf 'not said: %s\n' "$1"; cat /mnt/out; }; }

# use_repository NAME: apt knows only that one.
use_repository() {
	echo "deb [trusted=yes] file:/mnt/$1 ./" >/etc/apt/sources.list
	apt-get -q update
}

# state: what maintainer scripts, DKMS and the command may write outside the packages' files.
state() {
	find /etc /var/lib /var/log /usr /run/systemd -xdev \( -path /var/lib/apt -o -path /var/lib/dpkg \
		-o -path /var/log/journal -o -path /var/log/apt -o -path /var/lib/systemd \
		-o -path '/run/systemd/units' -o -path '/run/systemd/transient' -o -path '/usr/lib/modules/*/modules.*' \) -prune \
		-o -print |
		grep -iE 'etw|tdh' | sort -u
}

installs() {
	use_repository old && apt-get -q -y install "${packages[@]}"
}

module_is_ready() {
	local signer key

	signer=$(modinfo -F signer etw)
	key=$(openssl x509 -inform DER -in /var/lib/dkms/mok.pub -noout -subject -nameopt multiline |
		sed -n 's/ *commonName *= //p')
	echo "signer: $signer; key: $key"
	[[ -c /dev/etw && $(modinfo -n etw) == /lib/modules/$kernel/updates/dkms/* && -n $key &&
		$signer == "$key" ]]
}

program_builds() {
	local flags

	read -ra flags <<<"$(pkg-config --cflags --libs libetw libtdh)"
	gcc -O1 -o /mnt/sample_app sample_app.c -Wl,--as-needed "${flags[@]}"
}

steps_of() { etw dump "$1" | grep -c 'Sample-App Step '; }

records() {
	etw record -p "$provider" -o "/mnt/$1.etl" -- ./sample_app -w -n 5 && [[ $(steps_of "/mnt/$1.etl") -eq 5 ]]
}

# as_user GROUPS COMMAND...: as a user in these groups only
as_user() {
	local groups=$1
	shift
	setpriv --reuid 1000 --regid 1000 --groups "$groups" --inh-caps=-all "$@"
}

members_may_trace() {
	etw access show && (
		cd /tmp && as_user "$(getent group etw | cut -d: -f3)" \
			etw record -p "$provider" -o /tmp/member.etl -- /mnt/sample_app -w -n 2
	) && [[ $(steps_of /tmp/member.etl) -eq 2 ]]
}

others_may_not() {
	as_user 1000 /mnt/sample_app -n 1 && ! as_user 1000 etw list
}

# A session with a log file, and a program that writes to it all the time
starts_tracing() {
	etw start upgraded --file /var/log/upgraded.etl && etw enable upgraded "$provider" || return
	./sample_app -w -n 100000 -d 10 >/mnt/wrote &
	app=$!
	sleep 2
	kill -0 "$app"
}

upgrades() {
	use_repository new && apt-get -q -y dist-upgrade &&
		[[ $(dpkg-query -W -f '${Version}' etw-dkms) == *+next ]]
}

# Old program, new command, old module: what was written is in the file, also what is written now.
traces_on() {
	local before wrote

	etw flush upgraded || return
	before=$(steps_of /var/log/upgraded.etl)
	sleep 2
	kill -0 "$app" && etw query upgraded && kill "$app"
	wait "$app"
	etw stop upgraded && etw verify /var/log/upgraded.etl || return
	wrote=$(steps_of /var/log/upgraded.etl)
	echo "$wrote steps, $before when apt had ended"
	# The numbers have no gap.
	etw dump /var/log/upgraded.etl | sed -nE 's/.*Sample-App Step .*number=([0-9]+).*/\1/p' >/mnt/numbers
	[[ $before -gt 100 && $wrote -gt $((before + 20)) && $(wc -l </mnt/numbers) -eq $wrote ]] &&
		seq "$(head -n 1 /mnt/numbers)" "$(tail -n 1 /mnt/numbers)" | cmp - /mnt/numbers
}

module_is_replaced() { modprobe -r etw && modprobe etw && etw doctor; }

configures_boot() {
	mkdir -p /etc/etw/autologger.d &&
		echo "start --file /var/log/boot.etl
enable $provider" >/etc/etw/autologger.d/boot.conf
}

traced_at_boot() {
	systemctl is-active etw-autologger.service && etw query boot && ./sample_app -w -n 3 &&
		etw stop boot && [[ $(steps_of /var/log/boot.etl) -eq 3 ]]
}

downgrades() {
	local version pinned=() package

	use_repository old || return
	version=$(dpkg-deb -f old/etw-tools_*.deb Version)
	for package in "${packages[@]}"; do
		pinned+=("$package=$version")
	done
	apt-get -q -y --allow-downgrades install "${pinned[@]}" &&
		[[ $(dpkg-query -W -f '${Version}' etw-dkms) == "$version" ]]
}

purges() { apt-get -q -y purge "${packages[@]}"; }

nothing_left() {
	state >/mnt/after
	comm -13 /mnt/before /mnt/after >/mnt/left
	cat /mnt/left
	[[ ! -s /mnt/left && ! -e /sys/module/etw ]] &&
		! systemctl --failed --plain --no-legend | grep -E 'etw|dkms|modules-load'
}

first_boot() {
	echo 1..20
	state >/mnt/before
	step "apt installs the packages" installs
	step "the module is loaded, and signed with the key of DKMS" module_is_ready
	step "etw doctor finds nothing wrong" etw doctor
	step "a program builds with libetw-dev" program_builds
	step "its events are recorded" records first
	step "a member of the group etw may trace" members_may_trace
	step "another user may only write events" others_may_not
	step "a session and a program run" starts_tracing
	step "apt upgrades them meanwhile" upgrades
	tap_result "$(said 'etw-dkms: the loaded etw.ko is in use and stays')" "the module in use stays"
	step "nothing that was written meanwhile is missing" traces_on
	step "the new module takes its place" module_is_replaced
	step "a session is configured for the boot" configures_boot
	echo "tap_number=$tap_number tap_status=$tap_status" >/mnt/phase
	systemctl reboot
}

second_boot() {
	# shellcheck source=/dev/null
	. /mnt/phase
	step "the module is loaded at boot" module_is_ready
	step "the session has recorded since the boot" traced_at_boot
	step "apt downgrades" downgrades
	step "events are recorded again" records second
	step "etw doctor finds nothing wrong" etw doctor
	step "apt purges the packages" purges
	rm -f /var/log/boot.etl* /var/log/upgraded.etl*
	step "nothing is left" nothing_left
	systemctl poweroff
}

if [[ -e /mnt/phase ]]; then
	second_boot
else
	first_boot
fi
