/* SPDX-License-Identifier: MIT */
/*
 * core_scope - names of scope filters, applications and containers in paths of
 * control groups
 */
#include <string.h>

#include "lib/tap.h"
#include "core/scope.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static bool piece_is(struct etw_piece p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.at, text, p.len);
}

static void unit_is(const char *path, const char *application, const char *package)
{
	struct etw_piece app = etw_scope_application(path), pack = etw_scope_package(path);

	ok(piece_is(app, application) && piece_is(pack, package), "%s: %.*s, %.*s", path,
	   (int)app.len, app.at, (int)pack.len, pack.at);
}

static void test_units(void)
{
	unit_is("/", "", "");
	unit_is("/user.slice/user-1000.slice", "", "");
	unit_is("/system.slice/nginx.service", "nginx.service", "nginx.service");
	unit_is("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service",
		"getty@tty1.service");
	unit_is("/user.slice/user-1000.slice/session-2.scope", "session-2.scope",
		"session-2.scope");
	unit_is("/user.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-4711.scope",
		"org.gnome.Terminal", "org.gnome.Terminal");
	unit_is("/u/user@1000.service/app.slice/app-flatpak-org.mozilla.firefox-123.scope",
		"org.mozilla.firefox", "org.mozilla.firefox");
	unit_is("/u/app.slice/app-firefox-1.scope", "firefox", "firefox");
	unit_is("/u/app.slice/app-org.kde.kate@abc.service", "org.kde.kate", "org.kde.kate");
	unit_is("/u/app.slice/app-gnome-a\\x2db-7.scope", "a\\x2db", "a\\x2db");
	unit_is("/u/snap.code.code-01234567-89ab-cdef-0123-456789abcdef.scope", "code.code",
		"code");
	unit_is("/system.slice/snap.lxd.daemon.service", "lxd.daemon", "lxd");
	unit_is("/system.slice/docker-" ID ".scope", "docker-" ID ".scope", "docker-" ID ".scope");
	unit_is("/a.service/b/c", "a.service", "a.service");
	unit_is("/.scope", ".scope", ".scope");
	unit_is("/app-.scope", "", "");
	unit_is("/app-1.scope", "1", "1");
	unit_is("/snap..service", "", "");
}

static void test_names(void)
{
	ok(etw_scope_has_name("a", "a", 1), "the only name");
	ok(etw_scope_has_name("ab;c", "c", 1) && etw_scope_has_name("ab;c", "ab", 2), "one of two");
	ok(!etw_scope_has_name("ab;c", "a", 1) && !etw_scope_has_name("ab;c", "b;c", 3) &&
	   !etw_scope_has_name("ab;c", "cd", 2), "prefixes and longer names do not match");
	ok(!etw_scope_has_name("ab;c", "AB", 2), "case matters");
	ok(!etw_scope_has_name("ab;c", "", 0), "an empty name matches nothing");
	ok(etw_scope_names_ok("a", 1) && etw_scope_names_ok("a;bc", 4), "names");
	ok(!etw_scope_names_ok("", 0) && !etw_scope_names_ok(";", 1) &&
	   !etw_scope_names_ok("a;", 2) && !etw_scope_names_ok(";a", 2) &&
	   !etw_scope_names_ok("a;;b", 4) && !etw_scope_names_ok("a\0b", 3),
	   "an empty name or a NUL is invalid");
}

static void test_containers(void)
{
	const char *docker = "/system.slice/docker-" ID ".scope";
	const char *pod = "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope/init";

	ok(etw_scope_has_container("/system.slice", docker) &&
	   etw_scope_has_container("/system.slice/", docker) &&
	   etw_scope_has_container("/", docker) &&
	   etw_scope_has_container("/system.slice/docker-" ID ".scope", docker), "groups above");
	ok(!etw_scope_has_container("/system", docker) &&
	   !etw_scope_has_container("/system.slice/docker-" ID ".scope/x", docker), "and not");
	ok(etw_scope_has_container(ID, docker) && etw_scope_has_container("0123456789ab", docker) &&
	   etw_scope_has_container("0123456789ab", pod) &&
	   etw_scope_has_container("0123456789ab", "/docker/" ID), "by the container's id");
	ok(!etw_scope_has_container("0123456789a", docker) &&
	   !etw_scope_has_container("0123456789ac", docker) &&
	   !etw_scope_has_container(ID "0", docker), "too short, another, too long");
	ok(etw_scope_has_container("0123456789ab", "/a/libpod-" ID ".scope") &&
	   !etw_scope_has_container("0123456789ab", "/a/libpod-conmon-" ID ".scope"),
	   "podman's container, not its monitor");
	ok(etw_scope_has_container("kubepods-pod1.slice", pod) &&
	   etw_scope_has_container("x;init", pod), "by a component");
	ok(!etw_scope_has_container("kubepods", pod) && !etw_scope_has_container("x;y", pod),
	   "parts of a component do not match");
	ok(etw_scope_has_container("/", "/") && !etw_scope_has_container("a", "/"), "the root");
}

int main(void)
{
	test_units();
	test_names();
	test_containers();
	return done_testing();
}
