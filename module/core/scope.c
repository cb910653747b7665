// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scope.c - match names of scope filters
 */
#include "core/scope.h"

#define ID_DIGITS_MIN	12	/* container engines abbreviate ids to that */
#define ID_DIGITS	64
#define UUID_LEN	36

static bool starts(struct etw_piece p, const char *with)
{
	u32 len = strlen(with);

	return p.len >= len && !memcmp(p.at, with, len);
}

static bool ends(struct etw_piece p, const char *with)
{
	u32 len = strlen(with);

	return p.len >= len && !memcmp(p.at + p.len - len, with, len);
}

static bool equal(struct etw_piece a, struct etw_piece b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

/* Cut bytes off the front or the end. */
static struct etw_piece cut(struct etw_piece p, u32 front, u32 end)
{
	p.at += front;
	p.len -= front + end;
	return p;
}

/* The index of c in p, or p.len. */
static u32 first(struct etw_piece p, char c)
{
	u32 i;

	for (i = 0; i < p.len && p.at[i] != c; i++)
		;
	return i;
}

static u32 last(struct etw_piece p, char c)
{
	u32 i;

	for (i = p.len; i > 0; i--)
		if (p.at[i - 1] == c)
			return i - 1;
	return p.len;
}

/* The next piece of *rest up to a separator; false: there is none. */
static bool next(struct etw_piece *rest, char separator, struct etw_piece *piece)
{
	u32 len = first(*rest, separator);

	if (!rest->len)
		return false;
	*piece = cut(*rest, 0, rest->len - len);
	*rest = cut(*rest, len < rest->len ? len + 1 : len, 0);
	return true;
}

static struct etw_piece whole(const char *text)
{
	return (struct etw_piece){ text, strlen(text) };
}

/* ------------------------------------------------------------ applications */

/* The innermost unit; empty: there is none. */
static struct etw_piece find_unit(const char *path)
{
	struct etw_piece rest = whole(path), piece, unit = { path, 0 };

	while (next(&rest, '/', &piece))
		if (ends(piece, ".service") || ends(piece, ".scope"))
			unit = piece;
	return unit;
}

/* A unit started by a desktop: [LAUNCHER-]ID-RANDOM or [LAUNCHER-]ID[@RANDOM]. */
static struct etw_piece desktop_id(struct etw_piece p, bool scope)
{
	u32 at;

	/* Dashes within an id are escaped. */
	at = last(p, scope ? '-' : '@');
	if (at < p.len)
		p = cut(p, 0, p.len - at);
	at = first(p, '-');
	return at < p.len ? cut(p, at + 1, 0) : p;
}

static struct etw_piece snap_id(struct etw_piece p)
{
	if (p.len > UUID_LEN + 1 && p.at[p.len - UUID_LEN - 1] == '-')
		p = cut(p, 0, UUID_LEN + 1);
	return p;
}

static struct etw_piece application(const char *path, bool *snap)
{
	struct etw_piece unit = find_unit(path), bare;
	bool scope = ends(unit, ".scope");

	*snap = false;
	if (!unit.len)
		return unit;
	bare = cut(unit, 0, scope ? 6 : 8);
	if (starts(bare, "app-"))
		return desktop_id(cut(bare, 4, 0), scope);
	if (starts(bare, "snap.")) {
		*snap = true;
		return snap_id(cut(bare, 5, 0));
	}
	return unit;
}

/* The application of a process whose group has this path; empty: not known. */
struct etw_piece etw_scope_application(const char *path)
{
	bool snap;

	return application(path, &snap);
}

struct etw_piece etw_scope_package(const char *path)
{
	bool snap;
	struct etw_piece p = application(path, &snap);

	return snap ? cut(p, 0, p.len - first(p, '.')) : p;
}

/* ------------------------------------------------------------------- names */

/* Is name one of names?  name is not empty. */
bool etw_scope_has_name(const char *names, const char *name, u32 len)
{
	struct etw_piece rest = whole(names), wanted = { name, len }, piece;

	while (len && next(&rest, ';', &piece))
		if (equal(piece, wanted))
			return true;
	return false;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The id in "ID", "ENGINE-ID", "ENGINE-ID.scope": 64 digits; empty: none. */
static struct etw_piece container_id(struct etw_piece p)
{
	u32 at, i;

	/* podman's monitor has the id too, but runs outside the container. */
	if (starts(p, "libpod-conmon-"))
		return cut(p, 0, p.len);
	if (ends(p, ".scope"))
		p = cut(p, 0, 6);
	at = last(p, '-');
	if (at < p.len)
		p = cut(p, at + 1, 0);
	for (i = 0; i < p.len && is_hex(p.at[i]); i++)
		;
	return i == p.len && i == ID_DIGITS ? p : cut(p, 0, p.len);
}

static bool is_component(struct etw_piece name, const char *path)
{
	struct etw_piece rest = whole(path), piece, id;

	while (next(&rest, '/', &piece)) {
		if (equal(piece, name))
			return true;
		id = container_id(piece);
		if (name.len >= ID_DIGITS_MIN && name.len <= id.len &&
		    !memcmp(id.at, name.at, name.len))
			return true;
	}
	return false;
}

static bool is_above(struct etw_piece name, const char *path)
{
	struct etw_piece p = whole(path);

	while (name.len > 1 && ends(name, "/"))
		name = cut(name, 0, 1);
	if (name.len == 1)
		return true;
	return p.len >= name.len && !memcmp(p.at, name.at, name.len) &&
	       (p.len == name.len || p.at[name.len] == '/');
}

/* Does one of names match the container with this path? */
bool etw_scope_has_container(const char *names, const char *path)
{
	struct etw_piece rest = whole(names), name;

	while (next(&rest, ';', &name)) {
		if (!name.len)
			continue;
		if (name.at[0] == '/' ? is_above(name, path) : is_component(name, path))
			return true;
	}
	return false;
}

/* Is it a valid string of names, none of them empty? */
bool etw_scope_names_ok(const char *names, u32 len)
{
	struct etw_piece rest = { names, len }, name;

	if (!len || memchr(names, 0, len) || ends(rest, ";"))
		return false;
	while (next(&rest, ';', &name))
		if (!name.len)
			return false;
	return true;
}
