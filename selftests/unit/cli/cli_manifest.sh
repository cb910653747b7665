#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw manifest: install, remove, list, show and check, in folders of our own; what others
# could have written is not read.
set -euo pipefail

cd "$(dirname "$0")/../../.."
etw=$PWD/build/etw
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
chmod 755 "$work"
folder=$work/installed
export ETW_MANIFEST_PATH=$folder
unset XDG_DATA_HOME
guid=6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e11
second=6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e12
control=6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e13

# provider GUID NAME MORE: a provider with one event.
provider() {
	cat <<-END
		<provider name='$2' guid='{$1}' symbol='P${1:34}' resourceFileName='x' messageFileName='x' $3>
		 <keywords><keyword name='Disk' mask='0x10'/></keywords>
		 <templates><template tid='T'>
		  <data name='Size' inType='win:UInt32'/>
		  <data name='Data' inType='win:Binary' length='Size'/>
		  <struct name='Point' count='2'><data name='X' inType='win:Int32'/></struct>
		 </template></templates>
		 <events><event value='7' version='1' level='win:Error' keywords='Disk' template='T'
		  message='\$(string.m)' symbol='Read${1:34}'/></events>
		</provider>
	END
}

# manifest PROVIDER...: print a manifest of these providers.
manifest() {
	echo "<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	echo " xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'><instrumentation><events>"
	printf '%s\n' "$@"
	echo "</events></instrumentation><localization><resources culture='en-US'><stringTable>"
	echo "<string id='m' value='Read %1'/></stringTable></resources></localization>"
	echo "</instrumentationManifest>"
}

# fails STATUS TEXT COMMAND...: COMMAND exits with STATUS and prints one line that
# contains TEXT.
fails() {
	local want=$1 text=$2 code=0
	shift 2

	"$@" >"$work/out" 2>"$work/err" || code=$?
	cat "$work/out" "$work/err"
	[[ $code -eq $want && $(wc -l <"$work/err") -eq 1 ]] && grep -qF -- "$text" "$work/err"
}

# prints TEXT COMMAND...: COMMAND prints TEXT on stdout.
prints() {
	local text=$1
	shift

	"$@" >"$work/out"
	cat "$work/out"
	grep -qF -- "$text" "$work/out"
}

# holds FILE...: the folder contains exactly these names.
holds() {
	diff <(ls -A -I .lock "$folder") <((($# == 0)) || printf '%s\n' "$@" | sort)
}

# as_other COMMAND...: run COMMAND as a user who is not root.
as_other() {
	if [[ $(id -u) -eq 0 ]]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

manifest "$(provider "$guid" Test-One '')" "$(provider "$second" "Test-Two-$second" "controlGuid='{$control}'")" \
	>"$work/both.man"
manifest "$(provider "$guid" Test-One '')" >"$work/one.man"
sed 's/win:UInt32/win:Foo/' "$work/one.man" >"$work/bad.man"
echo '<nothing' >"$work/worse.man"

# m ARG...: run etw manifest in the folder with the files.
m() {
	(cd "$work" && "$etw" manifest "$@")
}

# not COMMAND...: COMMAND fails.
not() {
	! "$@"
}

# both COMMAND...: print stdout and stderr together; always succeeds.
both() {
	"$@" 2>&1 || true
}

# mode FILE: print the permissions.
mode() {
	stat -c %a "$1"
}

check "install: a folder is made" m install both.man
check "a link for each GUID, and the file" holds both.man "$guid.man" "$second.man" "$control.man"
check "the file is as it was given" cmp "$work/both.man" "$folder/both.man"
check "others may read it, not write it" prints 644 mode "$folder/both.man"
check "list: providers" prints "Test-One" m list
check "list: and where they are" prints "$folder/both.man" m list
check "list --json: one object for each" prints "\"provider\":\"Test-Two-$second\",\"guid\":\"$second\",\"control_guid\":\"$control\",\"events\":1,\"folder\":\"given\",\"serves\":1,\"hidden\":false" \
	m list --json
check "show: by name, with fields" prints "Data  Binary(Size)" m show Test-One
check "show: by GUID" prints "event 7 version 1 Read11, level win:Error, keywords Disk" m show "$guid"
check "show: by control GUID" prints "provider Test-Two" m show "$control"
check "show: a file" prints "Point  struct[2]" m show one.man
check "show --json" prints '"fields":[{"name":"Size","type":"UInt32","shown_as":"unsignedInt"},{"name":"Data","type":"Binary","shown_as":"hexBinary","length":"Size"},{"name":"Point","members":[{"name":"X"' \
	m show --json Test-One
check "show: what is not there" fails 1 'no such provider is installed' m show Nobody

check "check: a good one" prints "one.man: good: 1 provider, 1 event" m check one.man
check "check: a wrong one" not m check bad.man
check "check: by line" prints 'bad.man:6: error: data' both m check bad.man
check "check: what is not there" fails 1 'No such file' m check nothing.man

check "check: what the decoder makes of it" prints 'not for the compiler, but decodes: 1 provider' both m check bad.man
# lenient: a manifest that only the compiler refuses is installed, with a warning.
lenient() {
	ETW_MANIFEST_PATH=$work/lenient both m install bad.man >"$work/said" &&
		prints 'bad.man":6: warning: data' cat "$work/said" &&
		ETW_MANIFEST_PATH=$work/lenient prints Test-One m list
}
check "install: what only the compiler refuses" lenient
# complement: in two folders, one provider's manifests with different events, and one with less.
complement() {
	local one=$work/first two=$work/second

	sed "s/value='7'/value='8'/" "$work/one.man" >"$work/eight.man"
	ETW_MANIFEST_PATH=$one m install one.man && ETW_MANIFEST_PATH=$two m install eight.man &&
		ETW_MANIFEST_PATH=$one:$two prints '"serves":1,"hidden":false' m list --json &&
		! ETW_MANIFEST_PATH=$one:$two prints '"hidden":true' m list --json &&
		cp "$one/one.man" "$two/eight.man" &&
		ETW_MANIFEST_PATH=$one:$two prints '"serves":0,"hidden":true' m list --json
}
check "list: which manifest serves which events" complement
check "install: no XML" fails 1 'worse.man":' m install worse.man
check "install: what is not there" fails 1 'No such file' m install nothing.man
check "install: a directory" fails 1 'no regular file' m install .
cp "$work/one.man" "$work/$second.man"
check "install: a name that is another's GUID" fails 1 'none of its providers has' m install "$second.man"
check "nothing of these is left" holds both.man "$guid.man" "$second.man" "$control.man"

# take_over: one.man takes a provider over from both.man, which keeps the other provider.
take_over() {
	m install one.man && holds both.man one.man "$guid.man" "$second.man" "$control.man" &&
		[[ $(readlink "$folder/$guid.man") == one.man ]]
}
check "install: another file takes a provider over" take_over
# replace: both.man has one provider less now; its links are removed.
replace() {
	manifest "$(provider "$second" "Test-Two-$second" '')" >"$work/both.man"
	m install both.man && holds both.man one.man "$guid.man" "$second.man"
}
check "install: again, with less in it" replace
cp "$work/one.man" "$work/$guid.man"
named_by_guid() {
	m install "$guid.man" && holds both.man "$guid.man" "$second.man" && [[ ! -L $folder/"$guid.man" ]] &&
		prints Test-One m show "$guid"
}
check "install: a file that has its GUID's name" named_by_guid
echo '<x/>' >"$folder/dropped.man"
check "list: a file that nobody finds" prints "dropped.man: no GUID links to it" both m list
rm "$folder/dropped.man"
check "others cannot hold the lock" prints 600 mode "$folder/.lock"
check "remove: what is not there" fails 1 'not installed in' m remove Nobody
check "remove: by name" m remove "Test-Two-$second"
check "it is gone with its links" holds $guid.man
check "remove: by GUID" m remove "$guid"
check "that, too" holds
m install one.man
check "remove: by file" m remove one.man
check "and the last" holds

check "no action" fails 2 'missing ACTION' m
check "no such action" fails 2 'ACTION: "frobnicate" is none of' m frobnicate
check "no file" fails 2 'missing FILE' m install
check "too many" fails 2 'unexpected argument' m show a b
check "--json where nothing is printed" fails 2 'takes no --json' m remove --json x

# Which files and folders are trusted
m install one.man
chmod 666 "$folder/one.man"
check "a file that others may write to is not read" not m show "$guid"
check "show says why" prints "others could have written it" both m list
chmod 644 "$folder/one.man"
check "it is, when they may not" m show "$guid"
chmod 777 "$folder"
check "nor a folder that others may write to" not m show "$guid"
check "list says so" prints "others could have written to it" both m list
check "nothing is installed into that" fails 1 'others than root and you' m install one.man
chmod 755 "$folder"
rm "$folder/one.man" && cp "$work/one.man" "$work/outside.man"
ln -s ../outside.man "$folder/one.man"
check "links do not lead out of the folder" not m show "$guid"
rm -rf "$folder"

mkdir -m 777 "$work/home"
export HOME=$work/home
unset ETW_MANIFEST_PATH
user_folder=$HOME/.local/share/etw/manifests
if [[ $(id -u) -ne 0 ]] || setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	as_user() { (cd "$work" && as_other "$etw" manifest "$@"); }
	check "install --user" as_user install --user one.man
	check "it is in the user's folder" test -L "$user_folder/$guid.man"
	check "the user has it" prints "Test-One" as_user list
	check "it says whose it is" prints '"folder":"user"' as_user list --json
	if [[ $(id -u) -eq 0 ]]; then
		check "root reads nothing of it" not m show "$guid"
		check "root has no folder of a user" fails 1 'root has no folder' m install --user one.man
		ETW_MANIFEST_PATH=$user_folder check "not even if ETW_MANIFEST_PATH names the folder" not m show "$guid"
	fi
	check "remove --user" as_user remove --user Test-One
	check "it is gone" not as_user show "$guid"
else
	skip "setpriv does not work here"
fi
finish
