/* SPDX-License-Identifier: MIT */
/*
 * conf.h - access lists as text: /etc/etw/access.conf
 *
 *	# who may trace
 *	list default
 *		allow everyone register,log,join
 *		allow cap:perfmon all
 *		allow group:etw query,control,enable,consume
 *	list 01234567-89ab-cdef-0123-456789abcdef
 *		deny user:1000 0x80
 *
 * A line is empty, "list GUID", or an entry of the list above it: allow or
 * deny, who, and which rights.  # begins a comment.  The parser is strict, and
 * takes all or nothing, but for users and groups that do not exist: see
 * etw_access_parse().
 */
#ifndef ETW_LIB_ACCESS_CONF_H
#define ETW_LIB_ACCESS_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <etw/abi.h>

#define ETW_ACCESS_CONF		"/etc/etw/access.conf"
#define ETW_ACCESS_CONF_ENV	"ETW_ACCESS_CONF"	/* another path; not in set-uid programs */
#define ETW_ACCESS_CONF_MAX	(4u << 20)		/* bytes */

struct etw_access_list {
	struct etw_guid guid;
	uint32_t count;
	struct etw_access_entry entries[ETW_ACCESS_ENTRIES_MAX];
	size_t start, end;	/* its lines, without comments after them */
};

struct etw_access_conf {
	struct etw_access_list *lists;
	size_t count;
};

struct etw_access_error {
	unsigned int line, column;	/* from 1; 0: not about a position */
	bool unknown;		/* the name of a user or group that does not exist */
	char what[128];
};

/* Called for each entry that is left out; error says where and why. */
typedef void etw_access_skipped(const struct etw_access_error *error);

/* Each parses one word; false: error->what says what is wrong. */
bool etw_access_parse_guid(const char *word, struct etw_guid *guid);
bool etw_access_parse_who(const char *word, struct etw_access_entry *entry,
			  struct etw_access_error *error);
bool etw_access_parse_rights(const char *word, uint32_t *rights,
			     struct etw_access_error *error);

/*
 * -EINVAL: see error; -ENOMEM. Free conf in any case. With skipped, an allow entry of a
 * user or group that does not exist is left out: the others keep their rights, and nobody
 * has more. NULL: it is an error, as in a deny entry.
 */
int etw_access_parse(const char *text, size_t len, etw_access_skipped *skipped,
		     struct etw_access_conf *conf, struct etw_access_error *error);
void etw_access_conf_free(struct etw_access_conf *conf);
const struct etw_access_list *etw_access_conf_find(const struct etw_access_conf *conf,
						   const struct etw_guid *guid);

#define ETW_ACCESS_WHO_TEXT	32
#define ETW_ACCESS_RIGHTS_TEXT	96
#define ETW_ACCESS_ENTRY_TEXT	160
void etw_access_format_who(const struct etw_access_entry *entry, char out[ETW_ACCESS_WHO_TEXT]);
void etw_access_format_rights(uint32_t rights, char out[ETW_ACCESS_RIGHTS_TEXT]);
void etw_access_format_entry(const struct etw_access_entry *entry,
			     char out[ETW_ACCESS_ENTRY_TEXT]);

/*
 * Return the text with the GUID's list replaced, appended, or, if list is NULL,
 * removed; comments outside of the list stay. Free the result; NULL: out of memory.
 * *out_len does not count the terminating NUL.
 */
char *etw_access_edit(const char *text, size_t len, const struct etw_access_conf *conf,
		      const struct etw_guid *guid, const struct etw_access_list *list,
		      size_t *out_len);

#endif /* ETW_LIB_ACCESS_CONF_H */
