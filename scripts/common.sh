# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What every script here needs. Source it; it sets TOP (the checkout),
# BUILD (where all output goes) and CACHE (kernels and headers fetched by
# scripts/setup), and defines the message functions.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$TOP/build
CACHE=$BUILD/cache
# The kernel series that everything is built and tested for.
# shellcheck disable=SC2034
KERNEL_SERIES=(6.1 6.12)

# Messages go to stderr: stdout belongs to the command that was asked for.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# head_comment: what the script that runs says of itself, for its --help.
head_comment() { sed -n '/^#$/,/^set /s/^# \{0,1\}//p' "$0"; }

# kernel_dir NAME: the unpacked kernel for a series ("6.1") or a full version.
kernel_dir() {
	local dir=$CACHE/kernel/$1

	[[ -e $dir/.stamp ]] || return 1
	(cd "$dir" && pwd -P)
}

# kernel_version NAME: the release string that this kernel's uname prints.
kernel_version() {
	local dir

	dir=$(kernel_dir "$1") || return 1
	printf '%s\n' "${dir##*/}"
}

# seconds T: 120, 120s, 10m or 2h in seconds.
seconds() {
	case $1 in
	*[!0-9]*[!0-9]* | '' | [!0-9]*) die "not a time: $1" ;;
	*h) echo $((${1%h} * 3600)) ;;
	*m) echo $((${1%m} * 60)) ;;
	*s) echo "${1%s}" ;;
	*[!0-9]) die "not a time: $1" ;;
	*) echo "$1" ;;
	esac
}
